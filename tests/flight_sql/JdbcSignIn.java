/* One query for each URL by Arrow's JDBC driver: prints "ok" or "failed: why" for each. */
import java.sql.*;

class JdbcSignIn {
    public static void main(String[] urls) {
        for (String url : urls) {
            try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement();
                 ResultSet r = s.executeQuery("select 42")) {
                r.next();
                System.out.println(r.getInt(1) == 42 ? "ok" : "failed: another answer");
            } catch (Throwable problem) {
                System.out.println("failed: " + String.valueOf(problem).replace('\n', ' '));
            }
        }
        System.exit(0);
    }
}
