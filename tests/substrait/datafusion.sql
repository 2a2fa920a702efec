-- A statement a line, over t and u of plans.py.
select count(*) from t
select * from t
select i+1, i-1, i*2, i/2, i%3, -i, f/2, d/3, d*d, d+d, d-1, d%2, i/3.0 from t where i is not null
select k, sum(i), avg(i), min(s), max(f), count(s), count(distinct i), sum(d), avg(d), stddev(f), var_pop(f) from t group by k
select k, count(*) filter (where b) c from t group by k having count(*) > 1 order by k nulls first
select k, b, sum(i) from t group by rollup(k,b)
select k, b, sum(i) from t group by cube(k,b)
select distinct k, b from t
select * from t order by i desc nulls last, s limit 3 offset 1
select t.i, u.v from t join u on t.k = u.k
select t.i, u.v from t left join u on t.k = u.k and u.n > 15
select t.i, u.v from t right join u on t.k = u.k
select t.i, u.v from t full join u on t.k = u.k
select t.i, u.v from t cross join u
select i from t where k in (select k from u)
select i from t where exists (select 1 from u where u.k = t.k and u.n > 15)
select i from t where not exists (select 1 from u where u.k = t.k)
select i, (select max(n) from u where u.k = t.k) m from t
select i from t where i > (select avg(n)/10 from u)
select i from t where k in (select k from u) or i = 7
select i from t where exists (select 1 from u where u.k = t.k) or i < 0
select i, case when i > 2 then 'big' when i is null then 'none' else 'small' end from t
select i, case k when 1 then 'one' when 2 then 'two' end from t
select i from t where i between 1 and 3
select i from t where s like 'd\_e%' or s like '%c'
select i from t where s ilike 'b%'
select i from t where i in (1,2,null,7)
select i from t where i not in (1,2)
select i from t where b is true
select i from t where b is not true
select i from t where b is unknown
select i from t where i is distinct from 7
select i from t where i is not distinct from null
select extract(year from dt), extract(month from dt), extract(day from dt), extract(quarter from dt), extract(doy from dt), extract(hour from ts), extract(minute from ts), extract(second from ts), date_part('year', ts), extract(week from dt), extract(dow from dt) from t
select dt + interval '1' day, dt - interval '1' month, ts + interval '1' hour, date_trunc('month', ts), date_trunc('year', dt) from t
select dt from t where dt >= date '2020-01-01' and dt < date '2020-01-01' + interval '1' year
select ts from t where ts > timestamp '2000-01-01 00:00:00'
select coalesce(s,'none'), nullif(i,7), greatest(i,3), least(i,3), nvl(s,'q') from t
select i, row_number() over (order by i) r, rank() over (partition by k order by i) rk, dense_rank() over (order by k) dr, sum(i) over (partition by k order by i) sm, sum(i) over (order by i rows between 1 preceding and 1 following) s3, lag(i) over (order by i) lg, lead(i,2,0) over (order by i) ld, first_value(s) over (partition by k order by i) fv, last_value(s) over (partition by k order by i rows between unbounded preceding and unbounded following) lv, ntile(2) over (order by i) nt, percent_rank() over (order by i) pr, cume_dist() over (order by i) cd, count(*) over () c, avg(f) over (partition by k) af, nth_value(i,2) over (order by i) nv from t where i is not null and i <> 7
select k from t union select k from u
select k from t union all select k from u
select k from t intersect select k from u
select k from t except select k from u
select k from t except all select k from u
with a as (select k, sum(i) si from t group by k) select a1.k, a2.si from a a1 join a a2 on a1.k = a2.k
select * from (values (1,'a'),(2,null)) as v(x,y)
select t1.i, t2.i from t t1, t t2 where t1.i < t2.i and t1.k = t2.k
select bool_and(b), bool_or(b), median(i), approx_distinct(i) from t
select sum(distinct i), avg(distinct i) from t
select named_struct('a', i, 'b', s) from t
select array[i, 2] from t
select named_struct('a', i)['a'] from t
select make_array(1,2,3)[2]
select * from t limit 0
select i from t where false
select 5 where 1=2
select i as a, i as b, i+1 as c, i+1 as d2 from t order by c, d2
select count(*) from t, u
select sum(1) from t
select max(i)+min(i) from t
select k+1, count(*) from t group by k+1
select string_agg(v, ',') from u
select 'x' from t group by 'x'
select i from t order by 1
select i from t order by k+1, i desc
select t.* from t left semi join u on t.k=u.k
select t.* from t left anti join u on t.k=u.k
select '1 day'::interval
select interval '1' month
select interval '1 month 2 days 3 hours'
select now() is not null
select current_date is not null
select -7 / 2, -7 % 3, 7 % -3
select 1e300*1e10
select cast(2147483647 as int) + cast(1 as int)
select md5(s), to_hex(255), chr(65), translate(s,'a','b') from t
select t.k, u.n from t join u using (k) where u.n > 5 order by 1, 2 limit 2
select x.i from (select i, row_number() over (partition by k order by i desc) rn from t) x where rn = 1
select 1 as one, 'x' as x, null as n, true as t, 1.5 as y, cast(1.5 as decimal(5,2)) as z, date '2020-01-02' as d, timestamp '2020-01-02 03:04:05' as ts
select i/2, d/3, d/d as e from t where i is not null and d <> 0
select avg(d) filter (where b), avg(distinct d), avg(d) from t
select k, s, sum(i) from t group by grouping sets ((k),(s),())
select abs(i), signum(f), sqrt(abs(f)), exp(1.0), ln(2.0), log10(100.0), log2(8.0), power(i,2), floor(f), ceil(f), round(f), round(f,1), sin(f), cos(f), tan(f), atan2(f,1.0), degrees(f), radians(f), cbrt(f) from t where i is not null
select i & 3, i | 8 from t where i > 0
select string_agg(v, ',' order by v) from u
select i as a, i as b from t
select i%3 as m, count(*) from t group by i%3
select k, sum(n) over (partition by k order by n range between 10 preceding and current row) from u
select max(dt), min(ts), count(distinct s) from t
select sum(k) from t where false
select u.v, t.s from u left join t on u.k = t.k where t.s is null
select * from t where d in (1.25, 7)
select * from t where f > 1
select * from t where dt in (date '2020-02-29')
select coalesce(t.k, u.k) k2, count(*) from t full join u on t.k=u.k group by coalesce(t.k, u.k)
select k, (select count(*) from u where u.k = t.k) c from t
select k from t where (select count(*) from u where u.k = t.k) = 0
select nullif(s,'') from t
select -d, abs(d), round(d,1), floor(d), ceil(d) from t
select count(1), count(null) from t
select avg(k), sum(f) from t
select log(2.0, 8.0)
select i from t where not (b and i > 1) or s is null
select greatest(i, null), least(d, 2) from t
select k,b,count(*) from t group by cube(k,b) having sum(i)>1
select i<<2, i >> 1 from t where i>0
select upper(s), lower(s), length(s), character_length(s), trim('  x '), ltrim('  x'), btrim('xxaxx','x'), substr(s,2), substr(s,1,1), substr(s,0,2), substr(s,-1,3), replace(s,'a','b'), s || 'q', concat(s,'-',i), concat_ws('-',s,'z'), starts_with(s,'a'), strpos(s,'e'), reverse(s), repeat(s,2), lpad(s,5,'*'), rpad(s,5,'*'), left(s,2), right(s,2), ascii(s), octet_length(s), position('c' in s) from t
select cast(i as varchar) as a, cast(d as int) as b, cast('12' as int) as c, cast(d as double) as e, cast(i as decimal(12,3)) as g, cast(dt as timestamp) as h, cast(ts as date) as j, try_cast('x' as int) as l, cast(b as int) as m from t
select k, s, sum(i) from t group by grouping sets ((k),(s),())
select i, rank() over (order by i nulls first) + 1 as r from t
