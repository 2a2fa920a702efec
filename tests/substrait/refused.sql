-- A statement a line, and behind it a part of the message that refuses its plan.
select initcap(s) from t -- the Substrait function initcap
select cast(i as bigint unsigned) from t where i > 0 -- casts to the variation 1 of a Substrait integer
select array_agg(v) from u -- the Substrait aggregate function array_agg
select first_value(v order by n) from u -- the Substrait aggregate function first_value
select date_part('epoch', ts) from t -- the component epoch of the Substrait function date_part
select sha256(s) from t -- the Substrait function sha256
