#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case VECTORS[] = {
    {"spark_vector_norm([3, 4]::FLOAT[], 2::FLOAT), spark_vector_norm([3, -4]::FLOAT[], 1::FLOAT), "
     "spark_vector_norm([3, 4]::FLOAT[], 'inf'::FLOAT), "
     "spark_vector_norm([NULL, 1]::FLOAT[], 2::FLOAT), spark_vector_norm([]::FLOAT[], 2::FLOAT)",
     "5.0 | 7.0 | 4.0 | NULL | 0.0"},
    {"spark_vector_norm([3, 4]::FLOAT[], 3::FLOAT)",
     "! [INVALID_VECTOR_NORM_DEGREE]{\"functionName\":\"`vector_norm`\",\"degree\":\"3.0\"}"},
    {"spark_vector_inner_product([1, 2, 3]::FLOAT[], [4, 5, 6]::FLOAT[]), spark_vector_l2_distance([1, 2, 3]::FLOAT[], "
     "[4, 5, 6]::FLOAT[]), "
     "spark_vector_cosine_similarity([0]::FLOAT[], [1]::FLOAT[]), spark_vector_cosine_similarity([1, 2, 3]::FLOAT[], "
     "[4, 5, 6]::FLOAT[])",
     "32.0 | 5.196152 | NULL | 0.97463185"},
    {"spark_vector_inner_product([1, 2]::FLOAT[], [1]::FLOAT[])",
     "! [VECTOR_DIMENSION_MISMATCH]{\"functionName\":\"`vector_inner_product`\",\"leftDim\":\"2\",\"rightDim\":\"1\"}"},
    {"spark_vector_normalize([3, 4]::FLOAT[], 2::FLOAT), spark_vector_normalize([0]::FLOAT[], 2::FLOAT)",
     "[0.6, 0.8] | NULL"},
};

PT_TEST(vectors_are_measured_as_in_spark)
{
    PT__FN_CHECK(VECTORS);
}

static const pt__fn_case BUCKETS[] = {
    {"spark_time_bucket(900000000, timestamp '2024-01-01 11:27:00', timestamp '1970-01-01 00:00:00'), "
     "spark_time_bucket(900000000, timestamp '1969-12-31 23:59:00', timestamp '1970-01-01 00:00:00')",
     "2024-01-01 11:15:00 | 1969-12-31 23:45:00"},
    {"spark_time_bucket_months(1, timestamp '2024-07-20 14:30:00', timestamp '2024-06-15 09:00:00'), "
     "spark_time_bucket_months(2, timestamp '2024-06-15 08:00:00', timestamp '2024-06-15 09:00:00'), "
     "spark_time_bucket_months(1, timestamp '2024-03-30 00:00:00', timestamp '2024-01-31 00:00:00')",
     "2024-07-15 09:00:00 | 2024-04-15 09:00:00 | 2024-02-29 00:00:00"},
    {"spark_elt_ansi(2, 'a', 'b'), spark_elt_try(3, 'a', 'b'), spark_elt_ansi(1, NULL, 'b')", "b | NULL | NULL"},
    {"spark_elt_ansi(3, 'a', 'b')", "! [INVALID_ARRAY_INDEX]{\"indexValue\":\"3\",\"arraySize\":\"2\",\"ansiConfig\":"
                                    "\"\\\"spark.sql.ansi.enabled\\\"\"}"},
};

PT_TEST(buckets_and_choices_follow_spark)
{
    PT__FN_CHECK(BUCKETS);
}
