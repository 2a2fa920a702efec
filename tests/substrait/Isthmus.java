import io.substrait.isthmus.SqlToSubstrait;
import io.substrait.isthmus.sql.SubstraitCreateStatementParser;
import io.substrait.plan.PlanProtoConverter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes NAME.bin beside each NAME.sql of a folder whose tables are those of tables.ddl. */
public class Isthmus {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        String tables = Files.readString(folder.resolve("tables.ddl"));
        var catalog = SubstraitCreateStatementParser.processCreateStatementsToCatalog(tables);
        try (var queries = Files.newDirectoryStream(folder, "*.sql")) {
            for (Path query : queries) {
                var plan = new SqlToSubstrait().convert(Files.readString(query), catalog);
                byte[] bytes = new PlanProtoConverter().toProto(plan).toByteArray();
                Files.write(folder.resolve(query.getFileName().toString().replace(".sql", ".bin")), bytes);
            }
        }
    }
}
