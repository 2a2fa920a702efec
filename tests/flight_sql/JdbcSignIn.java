/* One query for each URL by Arrow's JDBC driver: prints "ok" or "failed: why" for each. */
import java.sql.*;

class JdbcSignIn {
    public static void main(String[] urls) {
        for (String url : urls) {
            String outcome = null;
            try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement();
                 ResultSet r = s.executeQuery("select 42")) {
                r.next();
                outcome = r.getInt(1) == 42 ? "ok" : "failed: another answer";
            } catch (Throwable problem) { // with catalog= the driver's close throws: it closes its channel twice
                if (outcome == null) outcome = "failed: " + String.valueOf(problem).replace('\n', ' ');
            }
            System.out.println(outcome);
        }
        System.exit(0);
    }
}
