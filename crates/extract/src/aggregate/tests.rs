//! Flags and small queries over records in every form.

use super::*;

fn table(records: Records, text: &str, group_by: Option<&str>, measure: Option<(Measure, &str)>) -> String {
    written(records, text, &Aggregation::grouped(group_by, measure, 2))
}

fn written(records: Records, text: &str, aggregation: &Aggregation) -> String {
    // However the text is chunked, the table is the same.
    let tables: Vec<String> = [if text.len() < 10_000 { 1 } else { 70_000 }, 3000, text.len()]
        .iter()
        .map(|size| {
            let mut aggregator = Aggregator::new(aggregation.clone(), records);
            text.as_bytes().chunks(*size).for_each(|chunk| aggregator.write_all(chunk).unwrap());
            aggregator.finish().unwrap()
        })
        .collect();
    assert!(tables.iter().all(|table| *table == tables[0]), "{tables:?}");
    tables[0].clone()
}

const NODES: &str = "[\n{\"status\":200,\"ms\":3,\"user\":{\"id\":\"a\"}},\n{\"status\":500,\"ms\":9.5},\n\
                     {\"status\":200,\"ms\":4}\n]\n";

#[test]
fn nodes_are_counted_by_a_key() {
    assert_eq!(
        table(Records::Nodes, NODES, Some("status"), None),
        "count\tstatus\n2\t200\n1\t500\n[2 groups of 3 records]\n"
    );
    assert_eq!(
        table(Records::Nodes, NODES, Some("user.id"), None),
        "count\tuser.id\n2\t(none)\n1\ta\n[2 groups of 3 records]\n"
    );
    assert_eq!(table(Records::Nodes, NODES, None, None), "count\n3\n[3 records]\n");
    assert_eq!(table(Records::Nodes, "[]\n", None, None), "count\n0\n[0 records]\n");
}

#[test]
fn numbers_are_computed_and_the_greatest_stand_first() {
    let status = Some("status");
    assert_eq!(
        table(Records::Nodes, NODES, status, Some((Measure::Sum, "ms"))),
        "sum(ms)\tcount\tstatus\n9.5\t1\t500\n7\t2\t200\n[2 groups of 3 records]\n"
    );
    assert_eq!(
        table(Records::Nodes, NODES, status, Some((Measure::Mean, "ms"))),
        "mean(ms)\tcount\tstatus\n9.5\t1\t500\n3.5\t2\t200\n[2 groups of 3 records]\n"
    );
    assert_eq!(table(Records::Nodes, NODES, None, Some((Measure::Max, "ms"))), "max(ms)\tcount\n9.5\t3\n[3 records]\n");
    assert_eq!(
        table(Records::Nodes, NODES, None, Some((Measure::Min, "none"))),
        "min(none)\tcount\n-\t3\n[3 records; none of them has a number in `none`]\n"
    );
}

#[test]
fn rows_are_counted_by_their_heading_and_quoted_fields_may_hold_anything() {
    let text = "city,note,size\r\nBonn,\"a, \"\"b\"\"\nc\",3\r\nOslo,x,4\r\nBonn,y,5\r\nRiga,z,1";
    assert_eq!(
        table(Records::Rows(b','), text, Some("city"), Some((Measure::Sum, "size"))),
        "sum(size)\tcount\tcity\n8\t2\tBonn\n4\t1\tOslo\n[2 of 3 groups of 4 records, the greatest first]\n"
    );
    assert_eq!(
        table(Records::Rows(b','), text, Some("note"), None),
        "count\tnote\n1\ta, \"b\" c\n1\tx\n[2 of 4 groups of 4 records, the greatest first]\n"
    );
}

#[test]
fn what_is_no_node_is_an_error() {
    let mut aggregator = Aggregator::new(Aggregation::grouped(None, None, 1), Records::Nodes);
    aggregator.write_all(b"[\n{\"a\":\n").unwrap();
    let error = aggregator.finish().unwrap_err().to_string();
    assert!(error.starts_with("a record is not JSON: EOF while parsing"), "{error}");
}

const LOG: &str = "{\"level\":\"error\",\"ms\":30,\"at\":\"2024-01-02\",\"user\":{\"id\":7}}\n\
                   {\"level\":\"info\",\"ms\":5,\"at\":\"2024-01-01\"}\n\
                   {\"level\":\"error\",\"ms\":10,\"at\":\"2024-01-03\",\"user\":{\"id\":8}}\n\
                   {\"level\":\"warn\",\"at\":\"2024-01-04\"}\n";

fn sql(query: &str) -> String {
    written(Records::Lines, LOG, &Aggregation::from_sql(query).unwrap())
}

#[test]
fn a_select_groups_measures_and_sorts() {
    assert_eq!(
        sql("SELECT level, count(*) FROM rows GROUP BY level ORDER BY 2 DESC"),
        "level\tcount\nerror\t2\ninfo\t1\nwarn\t1\n[3 groups of 4 records]\n"
    );
    assert_eq!(
        sql("select level, avg(ms) as mean, max(at), count(user.id) from rows group by 1 order by level desc limit 2;"),
        "level\tmean\tmax(at)\tcount(user.id)\nwarn\t-\t2024-01-04\t0\ninfo\t5\t2024-01-01\t0\n\
         [2 of 3 groups of 4 records, the greatest first]\n"
    );
    assert_eq!(
        sql("SELECT sum(ms), count(*) FROM rows WHERE level <> 'info'"),
        "sum(ms)\tcount\n40\t3\n[3 records that match, of 4]\n"
    );
    // Sorted by what is not shown.
    assert_eq!(
        sql("SELECT level FROM rows GROUP BY level ORDER BY sum(ms)"),
        "level\nwarn\ninfo\nerror\n[3 groups of 4 records]\n"
    );
    assert_eq!(sql("SELECT lvl FROM rows LIMIT 2"), "lvl\n-\n-\n[2 of 4 records; none that is shown has `lvl`]\n");
    assert_eq!(sql("SELECT DISTINCT level FROM rows"), "level\nerror\ninfo\nwarn\n[3 groups of 4 records]\n");
}

#[test]
fn a_select_without_groups_lists_records() {
    assert_eq!(
        sql("SELECT at, user.id FROM rows WHERE ms >= 10 ORDER BY ms"),
        "at\tuser.id\n2024-01-03\t8\n2024-01-02\t7\n[2 of 2 records that match, of 4]\n"
    );
    assert_eq!(
        sql("SELECT * FROM rows WHERE level = 'warn'"),
        "record\n{\"level\":\"warn\",\"at\":\"2024-01-04\"}\n[1 of 1 records that match, of 4]\n"
    );
    assert_eq!(sql("SELECT level FROM rows LIMIT 1"), "level\nerror\n[1 of 4 records]\n");
    let csv = Aggregation::from_sql("SELECT city, size FROM rows WHERE size > 3 ORDER BY size DESC").unwrap();
    let rows = "city,size\nBonn,3\nOslo,11\nRiga,4\n";
    assert_eq!(
        written(Records::Rows(b','), rows, &csv),
        "city\tsize\nOslo\t11\nRiga\t4\n[2 of 2 records that match, of 3]\n"
    );
}

#[test]
fn conditions_are_those_of_sql() {
    let counted = |condition: &str| {
        let table = sql(&format!("SELECT count(*) FROM rows WHERE {condition}"));
        table.lines().nth(1).unwrap().parse::<u64>().unwrap()
    };
    for (condition, expected) in [
        ("ms = 10.0", 1),
        ("ms > 5", 2),
        ("ms <= 10 AND level = 'error'", 1),
        ("level = 'info' OR level = 'warn'", 2),
        ("NOT (level = 'info' OR level = 'warn')", 2),
        // What is missing is neither equal nor unequal.
        ("ms <> 5", 2),
        ("ms IS NULL", 1),
        ("ms IS NOT NULL AND user.id IS NULL", 1),
        ("level IN ('info', 'warn')", 2),
        ("level NOT IN ('info', 'warn')", 2),
        ("level LIKE '%r%o%'", 2),
        ("level LIKE 'ERR%'", 0),
        ("level ILIKE 'ERR%'", 2),
        ("ms BETWEEN 5 AND 10", 2),
        ("ms NOT BETWEEN 5 AND 10", 1),
        ("at >= '2024-01-03'", 2),
        ("\"level\" = 'warn'", 1),
    ] {
        assert_eq!(counted(condition), expected, "{condition}");
    }
}

#[test]
fn what_is_not_computed_is_told() {
    for (query, expected) in [
        ("level", "expected `SELECT`"),
        ("SELECT", "expected the name of a key at the end"),
        ("SELECT level, count(*) FROM rows", "`level` has to stand in GROUP BY too"),
        ("SELECT level FROM rows JOIN x", "`JOIN` cannot stand here"),
        ("SELECT count(*) FROM rows HAVING count(*) > 1", "`HAVING` cannot stand here"),
        ("SELECT median(ms) FROM rows", "there is no function `median`"),
        ("SELECT level FROM rows WHERE level = warn", "expected a number or a text in '…' instead of `warn`"),
        ("SELECT level FROM rows WHERE level = 'warn", "a ' is not closed"),
        ("SELECT level FROM rows ORDER BY 3", "there is no column 3"),
        ("SELECT ms / 2 FROM rows", "`/` cannot stand here"),
        ("SELECT level FROM rows WHERE level", "`level` has to be compared"),
    ] {
        let error = Aggregation::from_sql(query).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{query}: {error}");
    }
    assert!(Aggregation::from_sql(&format!("SELECT a FROM rows WHERE {}a = 1", "(".repeat(100_000))).is_err());
}

#[test]
fn several_threads_count_what_one_does() {
    let record = |n: u64| format!("{{\"k\":\"key {}\",\"n\":{n},\"pad\":\"{}\"}}\n", n % 7, "x".repeat(100));
    let text: String = (0..40_000).map(record).collect();
    assert!(text.len() > 4 * CHUNK);
    let aggregation =
        Aggregation::from_sql("SELECT k, count(*), sum(n), max(n) FROM rows GROUP BY k ORDER BY k").unwrap();
    let nodes: String = written(Records::Nodes, &text, &aggregation);
    assert_eq!(written(Records::Lines, &text, &aggregation), nodes);
    assert!(nodes.starts_with("k\tcount\tsum(n)\tmax(n)\nkey 0\t5715\t"), "{nodes}");
    let broken = text + "{\n";
    let mut aggregator = Aggregator::new(aggregation, Records::Lines);
    aggregator.write_all(broken.as_bytes()).unwrap();
    assert!(aggregator.finish().is_err());
}
