//! What a model needs and is no secret stays, each beside the secret that it resembles.

use crate::redact::{Rules, redact};

fn stays(text: &str) {
    assert_eq!(redact(text, &Rules::builtin()).0, text);
}

fn goes(text: &str) {
    assert_ne!(redact(text, &Rules::builtin()).0, text, "{text}");
}

#[test]
fn paging_and_lock_tokens_stay() {
    stays("\"NextToken\": \"abCDeFGhiJKlmnOPqrSTuvwxYZ1aBCdEFghijK7LM51nOpqRSTuv3WxY3ZabC5\"");
    stays("--starting-token abCDeFGhiJKlmnOPqrSTuvwxYZ1aBCdEFghijK7LM51nOpqRSTuv3WxY3ZabC5");
    stays("\"LockToken\": \"1234abcd-12ab-34cd-56ef-1234567890ab\"");
    stays("\"ClientRequestToken\": \"EXb1n2k3-9f8e-7d6c\"");
    goes("\"AuthToken\": \"k3jf93kd02kf9dq8\"");
}

#[test]
fn versions_and_names_stay() {
    stays("\"minipass\": \"^3.0.0\"");
    stays("\"passport\": \"~0.4.1\"");
    stays("s.ConstraintBasedSynthesis and s.AbstractFactoryBean2Impl");
    stays("GIT_ASKPASS=echo");
    stays("SSH_ASKPASS=/usr/lib/ssh/askpass");
    stays("secret: db-creds-7d9f8b6c5d");
    stays("arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestSecret-a1b2c3");
    stays("Beginning test session ReactiveMapKitTests-260904D8-D0A7-4F89-A19D-85CA9A59A7DD at 12:20");
    goes("DB_PASS=sommerregen");
}

#[test]
fn neighbours_in_a_list_and_labels_stay() {
    stays("const SAFE = ['authorization', 'www-authenticate', 'cookie'];");
    stays("{\"columns\":[\"Authorization\"],\"target\":\"headers\"}");
    stays("passwordInput(\"password\", \"Password:\")");
    stays("{passwordLabel:\"Password:\",rememberMeLabel:\"Remember me\"}");
    stays("--- PASS: test_x (0.01s)\nPASS: test_y");
    goes("{\"Authorization\": \"Bearer k3jf93kd02kf9dq8\"}");
}

#[test]
fn certificates_and_public_keys_stay_in_every_wrapping() {
    let body = [
        "MIIDdzCCAl+gAwIBf7vJiXCsyePirOk1uh6nOnYA6ma2GB4jcA8+6m7SC//9P8DA",
        "UHeqTWqglUjkCRcihWHK+B0EsXgP76dBDjatJ55az4MrkiHTljQPgwadagHEVH8J",
    ];
    let dashes = "-----";
    for (lead, end) in [("", "\n"), ("", "\r\n"), ("12:", "\n"), ("  | ", "\n"), ("", "\\n")] {
        let lines = [
            format!("{dashes}BEGIN CERTIFICATE{dashes}"),
            body[0].into(),
            body[1].into(),
            format!("{dashes}END CERTIFICATE{dashes}"),
        ];
        let text: String = lines.iter().map(|line| format!("{lead}{line}{end}")).collect();
        stays(&text);
    }
    stays("008a: JLVJhBAFR9qkLJGGtcgGBF5KWMDtBGp4s7aLsL3vw2+gjJ9g/zoAGzkpQQ2NdCXg\n");
    stays("JLVJhBAFR9qkLJGGtcgGBF5KWMDtBGp4s7aLsL3vw2+gjJ9g/zoAGzkpQQ2NdCXg\r\n");
}

#[test]
fn a_key_in_json_leaves_json() {
    let (dashes, body) = ("-----", "MHcCAQEEIB7kq0bq3pVx1J2qz8Yw4nT6uKf3sLhRdEvGcXaZmPoAoGCCqGSM49");
    let text = format!(
        "{{\"pem\":\"{dashes}BEGIN EC PRIVATE KEY{dashes}\\n{body}\\nAwEHoUQDQgAE\\n{dashes}END EC PRIVATE KEY{dashes}\\n\"}}"
    );
    let (once, _) = redact(&text, &Rules::builtin());
    assert_eq!(
        once,
        format!(
            "{{\"pem\":\"{dashes}BEGIN EC PRIVATE KEY{dashes}\\n[REDACTED: PRIVATE_KEY]\\n{dashes}END EC PRIVATE KEY{dashes}\\n\"}}"
        )
    );
    assert_eq!(redact(&once, &Rules::builtin()).0, once);
}

#[test]
fn a_key_behind_line_numbers_goes() {
    let (dashes, body) = ("-----", "MHcCAQEEIB7kq0bq3pVx1J2qz8Yw4nT6uKf3sLhRdEvGcXaZmPoAoGCCqGSM49AB");
    let text = format!(
        "8:{dashes}BEGIN RSA PRIVATE KEY{dashes}\n9:{body}\n10:{body}\n11:Qz8Yw4nT==\n12:{dashes}END RSA PRIVATE KEY{dashes}\n13:done\n"
    );
    let expected = format!(
        "8:{dashes}BEGIN RSA PRIVATE KEY{dashes}\n9:[REDACTED: PRIVATE_KEY]\n10:\n11:\n12:{dashes}END RSA PRIVATE KEY{dashes}\n13:done\n"
    );
    assert_eq!(redact(&text, &Rules::builtin()).0, expected);
}

#[test]
fn types_and_members_of_objects_stay() {
    stays(" * @returns {Promise<{secretKey: Uint8Array, sharedKey: Uint8Array}>}");
    stays("    AuthToken?: Generic512CharString;");
    stays("    clientSecret: SensitiveString2048;");
    stays("    apiKey: z.ZodOptional<z.ZodString>;");
    stays("    ApiKeyAuthParameters?: UpdateConnectionApiKeyAuthRequestParameters;");
    stays("    Snowflake?: SnowflakeConnectorProfileProperties;");
    stays("    password=args.password)");
    stays("    password=parsed_url.password or password,");
    stays("    password: tOptional(tString)");
    stays("    password = unquote(password)");
    stays("    profile.password = args.mysql_password");
    stays("pub const D3DKMT_DEFRAG_ESCAPE_DEFRAG_PASS: D3DKMT_DEFRAG_ESCAPE_OPERATION = 3i32;");
    stays("    pub Dot11ExtSetDefaultKey: DOT11EXT_SET_DEFAULT_KEY,");
    stays("export const INVALID_USERNAME_OR_PASSWORD = \"invalidUserNameOrPassword\";");
    stays("export declare function pbkdf2(password: Uint8Array, salt: Uint8Array): Uint8Array;");
    stays("var k={CLINE_PASS:\"ext-cline-pass\",CODE:\"code\"};");
    stays("{\"RootUserPassword\": \"arn:aws:iam::aws:policy/root-task/RootUserPassword\"}");
    goes("    AuthToken: Gk7Tq29sXw41Vb8n");
    goes("  password: Hunter2Summer");
    goes("    password=hunter2.mysql9");
    goes("export DB_PASSWORD=\"correctHorse7Battery\"");
    goes("const password: &str = \"kd83kf02Qx\";");
}

#[test]
fn expressions_in_code_of_one_line_stay() {
    stays("t={accessToken:j?.accessToken??$.apiKey??W?.auth?.accessToken,a:1}");
    stays("t={cacheReadTokens:J===0?void 0:Math.max(0,J),cost:V}");
    stays("e.ProgressType=e.ProgressToken=e.createMessageConnection=e.NullLogger=void 0");
    stays("jsx(\"input\",{type:\"password\",value:form.apiKey2,onChange:f})");
    stays("agent_session_id: agent.agentSessionId,");
    goes("{\"name\": \"DB_PASSWORD\", \"value\": \"kd83kf02Qx\"}");
}

#[test]
fn words_that_only_look_like_names_and_prose_about_flags_stay() {
    stays("_opword = r'(?:equ|geq|gtr|leq|lss|neq)'");
    stays("'^(?P<secret>[a-zA-Z0-9-_]+):(?P<version>[1-9][0-9]*)$'");
    stays("Adds a --password flag to the parser.");
    stays("If true, adds Authorization: Bearer header with the resolved API key.");
    stays("var proxyAuthorization=\"proxy-authorization\";");
    stays("Next page token: eav1OzQB0OM8rLdGXOEsyQWSG");
    stays("[![codecov](https://codecov.io/gh/a/b/graph/badge.svg?token=E6F4YSY9ZQ)](https://codecov.io)");
    stays("  Tokens: \"\\u30C8\\u30FC\\u30AF\\u30F3\",");
    goes("user-pword: 'kd83kf02Qx'");
    goes("<secret>kd83kf02Qxyz91</secret>");
    goes("mysql --password kd83kf02Qx");
    goes("Authorization: Bearer kd83kf02Qx");
}

#[test]
fn what_chance_wrote_is_no_template_and_no_path() {
    for value in ["$cEiEonX", "%{4RThe%", "//MJeF5E", "jZ<zvg>)", "$Ab3xYz9Q"] {
        goes(&format!("{{\"password\": \"{value}\", \"port\": 1}}"));
    }
    for value in
        ["${DB_PASSWORD}", "%s", "{{ password }}", "<your-password>", "$DB_PASS", "%PASSWORD%", "/run/secrets/db"]
    {
        stays(&format!("{{\"password\": \"{value}\", \"port\": 1}}"));
    }
}

#[test]
fn a_line_of_base64_is_looked_at_as_a_whole() {
    let line = "4QTRhE+Hiz0Nme6DsnuAFCP8WaojxdVOZpKL53r2BIkqSUcbYJG91tvX7lywMgfAKChOBZmLqd";
    stays(&format!("{line}\n{line}\r\n{line}==\n"));
    // `password=swordfish-2!`, wrapped
    let secret = ["cGFzc3dvcmQ9", "c3dvcmRmaXNoLTIhCmhvc3Q9ZGIuYWNtZS5pbwpwb3J0PTU0MzIK"].concat();
    goes(&format!("{secret}\n"));
    goes(&format!("EAAA{}\n", "Zk3vQ8mT1xYw5LrN7bHc2JdF9gKs6U".repeat(2)));
}
