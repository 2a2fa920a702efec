"""A first program: Parquet and CSV, joins, groups, windows and SQL.

    python quickstart.py sc://localhost:15002

It needs nothing but the package pyspark-client (or pyspark[connect]) 3.5 or later. Files go to a folder of its own,
which it removes.
"""
import datetime
import os
import shutil
import sys
import tempfile

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

ORDERS = [
    (1, "ada", datetime.date(2024, 1, 3), "widget", 3, 4.50),
    (2, "ada", datetime.date(2024, 2, 11), "gadget", 1, 19.99),
    (3, "bo", datetime.date(2024, 1, 20), "widget", 10, 4.25),
    (4, "cy", datetime.date(2024, 3, 5), "gizmo", 2, 7.00),
    (5, "bo", datetime.date(2024, 3, 9), "gadget", 2, 18.50),
    (6, "cy", datetime.date(2024, 3, 30), None, 1, None),
]
CUSTOMERS = [("ada", "Ada Byron", "UK"), ("bo", "Bo Ek", "SE"), ("cy", "Cy Young", "US"), ("di", "Di Marzo", "IT")]


def write_and_read(spark, folder):
    """Parquet, partitioned, and CSV with a header."""
    orders = spark.createDataFrame(
        ORDERS, "id int, customer string, day date, product string, quantity int, price double")
    parquet = os.path.join(folder, "orders")
    orders.write.mode("overwrite").partitionBy("customer").parquet(parquet)

    customers = spark.createDataFrame(CUSTOMERS, ["customer", "name", "country"])
    csv = os.path.join(folder, "customers.csv")
    customers.write.mode("overwrite").option("header", True).csv(csv)

    orders = spark.read.parquet(parquet)
    customers = spark.read.option("header", True).option("inferSchema", True).csv(csv)
    print("== what was read back")
    orders.printSchema()
    customers.orderBy("customer").show()
    return orders, customers


def totals(orders, customers):
    """A join, a filter, a group."""
    priced = orders.where(F.col("price").isNotNull()).withColumn("amount", F.col("quantity") * F.col("price"))
    print("== sales by country")
    (priced.join(customers, "customer")
     .groupBy("country")
     .agg(F.count("*").alias("orders"), F.round(F.sum("amount"), 2).alias("amount"), F.max("day").alias("last_day"))
     .orderBy(F.desc("amount"))
     .show())
    print("== customers without an order")
    customers.join(priced, "customer", "left_anti").show()
    return priced


def running_totals(priced):
    """Window functions."""
    by_day = Window.partitionBy("customer").orderBy("day")
    print("== running totals")
    (priced.select("customer", "day", "product", "amount",
                   F.row_number().over(by_day).alias("nth"),
                   F.round(F.sum("amount").over(by_day), 2).alias("so_far"),
                   F.datediff("day", F.lag("day").over(by_day)).alias("days_since"))
     .orderBy("customer", "day")
     .show())


def with_sql(spark, orders, customers):
    """The same data in SQL."""
    orders.createOrReplaceTempView("orders")
    customers.createOrReplaceTempView("customers")
    print("== in SQL")
    spark.sql("""
        with monthly as (
            select date_trunc('month', day) as month, product, sum(quantity) as pieces
            from orders where product is not null
            group by all
        )
        select date_format(month, 'yyyy-MM') as month, product, pieces,
               rank() over (partition by month order by pieces desc) as place
        from monthly
        order by month, place, product
    """).show()
    best = spark.sql("""
        select c.name, max(struct(o.quantity, o.product)) as best
        from orders o join customers c using (customer)
        group by c.name order by c.name
    """).collect()
    for row in best:
        print(f"{row['name']:>10}: {row['best']['quantity']} x {row['best']['product']}")


def main(url):
    spark = SparkSession.builder.remote(url).getOrCreate()
    print("Spark", spark.version)
    folder = tempfile.mkdtemp(prefix="quickstart-")
    try:
        orders, customers = write_and_read(spark, folder)
        priced = totals(orders, customers)
        running_totals(priced)
        with_sql(spark, orders, customers)
        print("rows:", spark.range(1_000_000).where("id % 7 = 3").count())
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SPARK_REMOTE", "sc://localhost:15002"))
