# Prints what a test run prints, for the example at the top of the README.
i=0
while [ $i -lt 1400 ]; do
    i=$((i + 1))
    echo "test parser::case_$i ... ok"
    [ $i = 707 ] && echo "test lexer::nested_comment ... FAILED"
done
cat <<'END'

---- lexer::nested_comment ----
panicked at src/lexer.rs:212: assertion failed: left == right
  left: Comment(2)
 right: Comment(1)

test result: FAILED. 1400 passed; 1 failed
END
exit 101
