"""Several writers of one folder: each row is there once, also when none of them found the folder."""
import threading

import pytest

WRITERS, FOLDERS = 3, 15


def write_all(spark, folder, write):
    start, failures = threading.Barrier(WRITERS), []

    def one(number):
        try:
            frame = spark.range(1).selectExpr(f"{number} as n")
            start.wait(20)
            write(frame, folder)
        except Exception as failure:
            failures.append(failure)
    threads = [threading.Thread(target=one, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []


def append_frames(frame, folder):
    frame.write.mode("append").parquet(folder)


def append_partitions(frame, folder):
    frame.selectExpr("n", "n % 2 as p").write.mode("append").partitionBy("p").parquet(folder)


@pytest.mark.concurrent
@pytest.mark.parametrize("write", [append_frames, append_partitions])
def test_who_appends_first_loses_nothing(spark, tmp_path, write):
    for k in range(FOLDERS):
        folder = f"{tmp_path}/{k}"
        write_all(spark, folder, write)
        assert sorted(row.n for row in spark.read.parquet(folder).select("n").collect()) == list(range(WRITERS)), k
