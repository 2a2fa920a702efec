/*
 * Arrow's JDBC driver against a server: java -cp DRIVER Jdbc.java URL. Prints "ok NAME" for each step that held,
 * "failed NAME: why" for one that did not.
 */
import java.math.BigDecimal;
import java.sql.*;
import java.util.*;

class Jdbc {
    interface Step { void run(Connection c) throws Exception; }

    static final Map<String, Step> STEPS = new LinkedHashMap<>();

    static void equal(Object got, Object wanted) {
        if (!Objects.deepEquals(got, wanted)) throw new AssertionError("got " + got + ", not " + wanted);
    }

    static List<List<Object>> rows(ResultSet r) throws SQLException {
        List<List<Object>> all = new ArrayList<>();
        while (r.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) row.add(r.getObject(i));
            all.add(row);
        }
        return all;
    }

    static List<List<Object>> ask(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) { return rows(r); }
    }

    static void statements(Connection c) throws Exception {
        try (Statement s = c.createStatement()) {
            s.execute("create or replace table jdbc_t(i int)");
            equal(s.executeUpdate("insert into jdbc_t values (1),(2),(3)"), 3);
            equal(s.execute("update jdbc_t set i = i + 1 where i > 1"), false);
            equal(s.getUpdateCount(), 2);
            equal(s.execute("select count(*) from jdbc_t"), true);
            ResultSet r = s.getResultSet();
            r.next();
            equal(r.getLong(1), 3L);
        }
        try (PreparedStatement p = c.prepareStatement("delete from jdbc_t where i = ?")) {
            p.setInt(1, 1);
            equal(p.executeUpdate(), 1);
        }
        equal(ask(c, "select i from jdbc_t order by i"), List.of(List.of(3), List.of(4)));
    }

    static void preparedQueries(Connection c) throws Exception {
        try (PreparedStatement p = c.prepareStatement("select ?::int + 1, ?::varchar")) {
            equal(p.getParameterMetaData().getParameterCount(), 2);
            equal(p.getMetaData().getColumnCount(), 2);
            for (int i = 0; i < 20; i++) {
                p.setInt(1, i);
                p.setString(2, "v" + i);
                try (ResultSet r = p.executeQuery()) { equal(rows(r), List.of(List.of(i + 1, "v" + i))); }
            }
        }
        try (PreparedStatement p = c.prepareStatement("select ? as untyped")) {
            p.setString(1, "text");
            try (ResultSet r = p.executeQuery()) { equal(rows(r), List.of(List.of("text"))); }
        }
    }

    static void batches(Connection c) throws Exception {
        try (Statement s = c.createStatement()) { s.execute("create or replace table jdbc_b(i int, s varchar, d double)"); }
        try (PreparedStatement p = c.prepareStatement("insert into jdbc_b values (?, ?, ?)")) {
            for (int i = 0; i < 100; i++) {
                p.setInt(1, i);
                p.setString(2, "s" + i);
                p.setDouble(3, i / 2.0);
                p.addBatch();
            }
            p.executeBatch();
        }
        equal(ask(c, "select count(*), sum(i)::bigint, max(d) from jdbc_b"), List.of(List.of(100L, 4950L, 49.5)));
    }

    static void errors(Connection c) throws Exception {
        for (String sql : new String[] {"selekt", "select no_such", "select 'x'::int"}) {
            try { ask(c, sql); } catch (SQLException expected) { continue; }
            throw new AssertionError(sql + " did not fail");
        }
        equal(ask(c, "select 1"), List.of(List.of(1)));
    }

    static void types(Connection c) throws Exception {
        String sql = "select true, 1::tinyint, 2::smallint, 3::int, 4::bigint, 1.5::float, 2.5::double, 1.25::decimal(9,2), "
            + "'text', '\\x01'::blob, date '2024-02-29', timestamp '2024-02-29 01:02:03', null::int, "
            + "'b'::enum('a', 'b'), '00112233-4455-6677-8899-aabbccddeeff'::uuid::varchar";
        List<Object> row = ask(c, sql).get(0);
        equal(row.get(0), true);
        equal(((Number) row.get(1)).intValue(), 1);
        equal(((Number) row.get(4)).longValue(), 4L);
        equal(((Number) row.get(6)).doubleValue(), 2.5);
        equal(row.get(7), new BigDecimal("1.25"));
        equal(row.get(8), "text");
        equal(row.get(9), new byte[] {1});
        equal(row.get(10), java.sql.Date.valueOf("2024-02-29"));
        equal(row.get(12), null);
        equal(row.get(13), "b");
        String nested = "select [1, 2] as l, {'a': 1} as s, map {'k': 1} as m, interval 1 day as i, 1::hugeint as h, "
            + "time '01:02:03' as t, 5::ubigint as u, '101'::bit as b, [1,2]::int[2] as f";
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(nested)) {
            r.next();
            for (int i = 1; i <= r.getMetaData().getColumnCount(); i++)
                if (r.getObject(i) == null) throw new AssertionError(r.getMetaData().getColumnName(i) + " is null");
        }
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select timestamptz '2024-01-01 00:00:00+00'")) {
            r.next();
            r.getString(1);
        }
    }

    static int count(ResultSet r) throws SQLException { try (r) { return rows(r).size(); } }

    static void metadata(Connection c) throws Exception {
        try (Statement s = c.createStatement()) {
            s.execute("drop table if exists jdbc_c");
            s.execute("drop table if exists jdbc_p");
            s.execute("create table jdbc_p(i int primary key, j varchar)");
            s.execute("create table jdbc_c(k int references jdbc_p(i))");
        }
        DatabaseMetaData m = c.getMetaData();
        if (count(m.getCatalogs()) == 0 || count(m.getSchemas()) == 0) throw new AssertionError("no catalogs or schemas");
        if (count(m.getTables(null, null, "%", null)) == 0) throw new AssertionError("no tables");
        equal(count(m.getTables(null, null, "jdbc\\_p", new String[] {"BASE TABLE"})), 1);
        equal(count(m.getTables("", "", "%", null)), 0);
        equal(count(m.getColumns(null, null, "jdbc\\_p", "%")), 2);
        equal(count(m.getTableTypes()), 3);
        equal(count(m.getPrimaryKeys(null, null, "jdbc_p")), 1);
        equal(count(m.getExportedKeys(null, null, "jdbc_p")), 1);
        equal(count(m.getImportedKeys(null, null, "jdbc_c")), 1);
        equal(count(m.getCrossReference(null, null, "jdbc_p", null, null, "jdbc_c")), 1);
        m.getTypeInfo().close();
    }

    /* Every getter without arguments: a fact that is missing makes the driver throw. */
    static void getters(Connection c) throws Exception {
        DatabaseMetaData m = c.getMetaData();
        List<String> broken = new ArrayList<>();
        int called = 0;
        for (var method : DatabaseMetaData.class.getMethods()) {
            if (method.getParameterCount() != 0 || method.getReturnType() == ResultSet.class) continue;
            called++;
            try { method.invoke(m); } catch (Exception e) { broken.add(method.getName() + " " + e.getCause()); }
        }
        if (!broken.isEmpty()) throw new AssertionError(broken.size() + " of " + called + " getters: " + broken);
        equal(m.getDatabaseProductName(), "Portico");
    }

    static void bigResults(Connection c) throws Exception {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select range as i, 'row ' || range as s from range(300000)")) {
            long sum = 0;
            while (r.next()) sum += r.getLong(1);
            equal(sum, 300000L * 299999 / 2);
        }
    }

    public static void main(String[] arguments) throws Exception {
        STEPS.put("statements", Jdbc::statements);
        STEPS.put("prepared queries", Jdbc::preparedQueries);
        STEPS.put("batches", Jdbc::batches);
        STEPS.put("errors", Jdbc::errors);
        STEPS.put("types", Jdbc::types);
        STEPS.put("metadata", Jdbc::metadata);
        STEPS.put("getters", Jdbc::getters);
        STEPS.put("big results", Jdbc::bigResults);
        try (Connection c = DriverManager.getConnection(arguments[0])) {
            for (var step : STEPS.entrySet()) {
                try {
                    step.getValue().run(c);
                    System.out.println("ok " + step.getKey());
                } catch (Throwable e) {
                    System.out.println("failed " + step.getKey() + ": " + e);
                }
            }
        }
        System.exit(0);
    }
}
