//! Secrets in assignments, headers and URLs, and what only looks like them.

use crate::redact::{Rules, redact};

fn check(text: &str, expected: &str) {
    let (redacted, _) = redact(text, &Rules::builtin());
    assert_eq!(redacted, expected, "from {text}");
}

fn stays(text: &str) {
    check(text, text);
}

#[test]
fn settings_lose_their_values() {
    check("DB_PASSWORD=hunter22\n", "DB_PASSWORD=[REDACTED: PASSWORD]\n");
    check("DB_PASSWORD=>=iUj})L_7g*0W5i\n", "DB_PASSWORD=[REDACTED: PASSWORD]\n");
    check("export IRC_PASS=irc_pass\n", "export IRC_PASS=[REDACTED: PASSWORD]\n");
    check("AdminPassword=AdminPassword123\r\n", "AdminPassword=[REDACTED: PASSWORD]\r\n");
    check("machine h login u password s3cr3tpw\n", "machine h login u password [REDACTED: PASSWORD]\n");
    check("Server=db;Uid=app;Pwd=Xk29fk;Timeout=5", "Server=db;Uid=app;Pwd=[REDACTED: PASSWORD];Timeout=5");
}

#[test]
fn json_yaml_and_xml_stay_what_they_are() {
    check(r#"{"password": "swordfish!23", "port": 22}"#, r#"{"password": "[REDACTED: PASSWORD]", "port": 22}"#);
    check(r#"{"password": 12345678}"#, r#"{"password": 12345678}"#);
    check(r#"{"b": "{\"password\":\"hunter22\"}"}"#, r#"{"b": "{\"password\":\"[REDACTED: PASSWORD]\"}"}"#);
    check(r#"{"client_secret": "p8\u0041q\"x9Zk2"}"#, r#"{"client_secret": "[REDACTED: SECRET]"}"#);
    check("  password: 'pa55 word'\n", "  password: 'pa55 word'\n");
    check("  api_token: k3jf93kd02kf9d\n", "  api_token: [REDACTED: TOKEN]\n");
    check("<Pass>ExamplePas123</Pass>", "<Pass>ExamplePas123</Pass>");
    check("<Pass>Qz81kPas123</Pass>", "<Pass>[REDACTED: PASSWORD]</Pass>");
}

#[test]
fn headers_and_command_lines() {
    check("Authorization: Bearer abc.def-123\n", "Authorization: Bearer [REDACTED: AUTHORIZATION]\n");
    check("-H 'Authorization: Basic dXNlcjpwdw=='", "-H 'Authorization: Basic [REDACTED: AUTHORIZATION]'");
    check("mysql --password hunter22 -h db", "mysql --password [REDACTED: PASSWORD] -h db");
    check("tool --token=k3jf93kd02kf9d run", "tool --token=[REDACTED: TOKEN] run");
    check("curl -u elastic:P4ssw0rdx localhost", "curl -u elastic:[REDACTED: PASSWORD] localhost");
    check("GET /a?x=1&access_token=k3jf93kd02kf9d&y=2", "GET /a?x=1&access_token=[REDACTED: TOKEN]&y=2");
}

#[test]
fn of_a_url_only_the_password_goes() {
    check("postgres://app:pw-1x@db/main", "postgres://app:[REDACTED: PASSWORD]@db/main");
    check("redis://:s3cret@cache:6379/0", "redis://:[REDACTED: PASSWORD]@cache:6379/0");
    check("https://u:p%40ss@h/p?q=a@b", "https://u:[REDACTED: PASSWORD]@h/p?q=a@b");
    stays("https://example.com:8080/a@b");
    stays("postgres://${USER}:${PASS}@db/main");
    stays("git@github.com:offcut/offcut.git and https://user@host/path");
}

#[test]
fn what_stands_for_a_secret_stays() {
    for text in [
        "password = ${DB_PASSWORD}",
        "password: <your password>",
        "PASSWORD=changeme",
        "api_key: xxxxxxxxxxxxxxxx",
        "token = os.environ['TOKEN']",
        "let token = self.next_token();",
        "password: string;",
        "if password == other_password {",
        "token_type: bearer",
        "passwordFile=/run/secrets/db",
        "secretName: my-app-secret",
        "--- PASS: TestSomething2 (0.00s)",
        "PASS test/install/injectWorkspacePackages2.test.ts",
        "tokens: 12345678",
        "author = someone1234",
        "\"password\": \"Passwort\"",
        "secret: [REDACTED: SECRET]",
        "Token::new(key1234567890abcdef)",
        "the token 1234 is bad",
    ] {
        stays(text);
    }
}

#[test]
fn hashes_ids_and_paths_stay() {
    for text in [
        "commit 4e8932e579d2e085ea2d9e6e88035d1ad0ad16a6",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "request_id=7d3c2b1a-5e4f-4a3b-9c8d-1e2f3a4b5c6d",
        "\"integrity\": \"sha512-Zk3jd82KdfLw0qPzXmVbN1Tg5Yh8UjRc4Ea7So9Iw6Qf2Dx0Bv3Cn5Ml7Kp1Jh==\"",
        "github.com/a/b v1.2.3 h1:Zk3jd82KdfLw0qPzXmVbN1Tg5Yh8UjRc4Ea7So9Iw6Q=",
        "/home/user/.cache/pypoetry/virtualenvs/project-Zk3jd82K-py3.11/lib/python3.11",
        "AbstractSingletonProxyFactoryBeanConfigurationSupport2ImplTest",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "https://cdn.example.com/fonts/cJZKeOuBrn4kERxqtaUH3aCWcynf_cDxXwCLxiixG1c.ttf",
    ] {
        stays(text);
    }
}

#[test]
fn a_random_string_of_forty_goes() {
    let random = ["x: Zk3jd82KdfLw0qPzXm", "VbN1Tg5Yh8UjRc4Ea7So9Iw6Q done"].concat();
    check(&random, "x: [REDACTED: HIGH_ENTROPY] done");
}

#[test]
fn a_password_with_a_short_word_in_it_by_chance_is_no_dummy() {
    let rules = crate::redact::Rules::builtin();
    let redacted = |text: &str| crate::redact::redact(text, &rules).0;
    let password = ["r4u2J7U14", "YOURur2"].concat();
    assert_eq!(redacted(&format!("\"password\": \"{password}\"")), "\"password\": \"[REDACTED: PASSWORD]\"");
    assert_eq!(redacted("password=your_password_here"), "password=your_password_here");
}

#[test]
fn passwords_that_people_make_up_are_no_labels() {
    check(r#"{"password":"Hasel.Nuss5"}"#, r#"{"password":"[REDACTED: PASSWORD]"}"#);
    check(r#""passwort"=>"Hasel.Nuss""#, r#""passwort"=>"[REDACTED: PASSWORD]""#);
    check("pw = 'Regen-Bogen-Forelle'\n", "pw = '[REDACTED: PASSWORD]'\n");
    check("pwd='Kaktus.Blüte'", "pwd='[REDACTED: PASSWORD]'");
    for text in [
        r#""password": "login.form.title""#,
        r#""password": "Types.String""#,
        r#""password": "Login.Title""#,
        r#""password": "Mot de passe oublié""#,
        r#""password": "Hasło:""#,
        "pw = 'pixel-width'",
        "            pw = pw[:-1]\n",
    ] {
        stays(text);
    }
}

#[test]
fn of_parameters_behind_a_scheme_the_credentials_go() {
    let text = "Authorization: Digest username=\"admin\", realm=\"IPC\", response=\"cb71f00ec28bdf3c7c9c95660e9a031b\"";
    check(text, &text.replace("cb71f00ec28bdf3c7c9c95660e9a031b", "[REDACTED: AUTHORIZATION]"));
    check("Authorization: Token token=\"k3jf93kd02kf9d\"", "Authorization: Token token=\"[REDACTED: AUTHORIZATION]\"");
    stays("Authorization: Token token=<redacted>");
    stays("headers: { authorization: 'key=undefined' }");
}

#[test]
fn a_sentence_that_names_a_token_hides_it() {
    let token = ["67XY5nGFfVya8n5Z", "Xs4o96DvgHb3FgpRsiYQ"].concat();
    check(&format!("fallback token {token} used"), "fallback token [REDACTED: TOKEN] used");
    stays("the token 4e8932e579d2e085ea2d9e6e88035d1ad0ad16a6 is a commit");
    let key = ["697745-926781-729560-247631", "-808961-544707-311825-707934"].concat();
    check(&format!("Password:\n  {key}\n"), "Password:\n  [REDACTED: RECOVERY_CODE]\n");
    stays("697745-926781-729560");
}

#[test]
fn what_is_public_stays() {
    for text in [
        r#"{"kty":"EC","x":"oJ40JV73l3BHlRTKCS4emwFr2mmxev5tDFba3LNHypc","y":"QQUc7kvgqOrLNwOVtzGCuRNTxbu1an-xaQQbKxDhnzs"}"#,
        "description:: S8O2Y2hpbiBpbSBIYXVzIGFtIFNlZSwgQsO8cm8gNA==",
        r#""login_password": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER""#,
        "curl -s --user 'api:YOUR_API_KEY' https://api.acme.io",
    ] {
        stays(text);
    }
}

#[test]
fn lists_of_names_and_values_lose_the_values_of_secrets() {
    check(
        "Key           Value\n---           -----\nclient_id     shop-erp\npassphrase    correct-horse-battery\n",
        "Key           Value\n---           -----\nclient_id     shop-erp\npassphrase    [REDACTED: PASSWORD]\n",
    );
    check(
        "      key      |     value\n---------------+-------\n smtp_port     | 587\n smtp_password | Apfelstrudel9\n",
        "      key      |     value\n---------------+-------\n smtp_port     | 587\n smtp_password | [REDACTED: PASSWORD]\n",
    );
    check("1) \"requirepass\"\n2) \"Apfelstrudel9\"\n", "1) \"requirepass\"\n2) \"[REDACTED: PASSWORD]\"\n");
    stays("password    required\ntoken       optional\n");
    stays("1) \"password\"\n2) \"token\"\n");
    stays("Name      Type\n----      ----\npassword  varchar\n");
}

#[test]
fn markup_statements_and_cookies_lose_the_values_of_secrets() {
    check(
        "<tr><td>DB_PASSWORD </td><td class=\"v\">Zimtstern_2023</td></tr>",
        "<tr><td>DB_PASSWORD </td><td class=\"v\">[REDACTED: PASSWORD]</td></tr>",
    );
    check(
        "<Key>Password</Key>\n<Value ProtectInMemory=\"True\">Sch0koladentorte</Value>\n",
        "<Key>Password</Key>\n<Value ProtectInMemory=\"True\">[REDACTED: PASSWORD]</Value>\n",
    );
    check(
        "  10.0.4.2 secret \"knk81OrYOTgg3VJ8s09LZ1UNbr\"; ## SECRET-DATA\n",
        "  10.0.4.2 secret \"[REDACTED: SECRET]\"; ## SECRET-DATA\n",
    );
    let cookie = ["YMp3mKK69P0ZaXXPku71s", "gbYCgyLNMPrp6"].concat();
    check(
        &format!("acme.io\tFALSE\t/\tTRUE\t1795000000\tremember_token\t{cookie}\n"),
        "acme.io\tFALSE\t/\tTRUE\t1795000000\tremember_token\t[REDACTED: TOKEN]\n",
    );
    stays("<td>password</td><td>required</td>");
}

#[test]
fn what_a_trace_shows_of_a_protocol_loses_its_password() {
    check(
        "write(4, \"PASS Blumenwiese3\\r\\n\", 19) = 19\n",
        "write(4, \"PASS [REDACTED: PASSWORD]\\r\\n\", 19) = 19\n",
    );
    check("> PASS Blumenwiese3\n", "> PASS [REDACTED: PASSWORD]\n");
    check(
        "##vso[task.setvariable variable=sqlPassword;isOutput=true]HXVsslLeqx4GPo6DawT0\n",
        "##vso[task.setvariable variable=sqlPassword;isOutput=true][REDACTED: PASSWORD]\n",
    );
    stays("PASS src/app.test.js\n");
    stays("> PASS src/app.test.js\n");
    stays("--- PASS: TestLogin2 (0.00s)\n");
}

#[test]
fn a_setting_that_chance_made_goes_whatever_its_name_is() {
    let value = ["k8Xq2Lm4Rt6Yv", "9Zs1Nc3Kd5P"].concat();
    check(&format!("MAPS={value}\n"), "MAPS=[REDACTED: API_KEY]\n");
    check(&format!("[s3]\nkey : {value}\n"), "[s3]\nkey : [REDACTED: API_KEY]\n");
    check(&format!("AZURE_EXT_PAT={value}\n"), "AZURE_EXT_PAT=[REDACTED: TOKEN]\n");
    stays(&format!("CLIENT_ID={value}\n"));
    stays(&format!("CACHE_KEY={value}\n"));
    stays("MARKER=testEd25519PrivateKey\nkey: testEd25519PrivateKey,\n");
}

#[test]
fn passwords_in_braces_in_sections_and_in_printed_arrays_go() {
    check("SERVER=s1;UID=etl;PWD={g7;Kx2p!vR};\n", "SERVER=s1;UID=etl;PWD={[REDACTED: PASSWORD]};\n");
    stays("UID={uid};PWD={pwd};\nUID={0};PWD={1};\n");
    check("    [pass] => fws5LA_kR_-m\n", "    [pass] => [REDACTED: PASSWORD]\n");
    check("  password: \"a:b#c 9Zq!\"\n", "  password: \"[REDACTED: PASSWORD]\"\n");
    stays("  password: \"At least 8 characters!\"\n");
    check("<Pwd><![CDATA[x9Lq2mR9v]]></Pwd>\n", "<Pwd><![CDATA[[REDACTED: PASSWORD]]]></Pwd>\n");
}

#[test]
fn what_a_provider_names_an_id_stays() {
    stays("AUTH0_CLIENT_ID=x9Lq2mR9vTz4kW3pq7Lx2Tv9Rw4Kb1Mn\nOPSGENIE_TEAM=3f1c9d2e-7a3b-4c8d-9e0f-1a2b3c4d5e6f\n");
}

#[test]
fn what_stands_in_other_forms_goes() {
    check(
        "        - --admin-password\n        - qMG324MpK9MLqTFT\n        - --port=80\n",
        "        - --admin-password\n        - [REDACTED: PASSWORD]\n        - --port=80\n",
    );
    check(
        "{:db {:user \"app\" :password \"3m5hhAU7U1r4gs\"}}\n",
        "{:db {:user \"app\" :password \"[REDACTED: PASSWORD]\"}}\n",
    );
    check("Confirm vault password: Dragon143@\n", "Confirm vault password: [REDACTED: PASSWORD]\n");
    check("JWT_SECRET=winter-1038!!\n", "JWT_SECRET=[REDACTED: SECRET]\n");
    let value = ["y2J4AUtEZScuOdMF", "eOvIF9mogB2b5n3d"].concat();
    check(&format!("| **API token** | {value} |\n"), "| **API token** | [REDACTED: TOKEN] |\n");
    check(&format!("SECRET_KEY    {value}   production\n"), "SECRET_KEY    [REDACTED: API_KEY]   production\n");
    check(&format!("https://maps.io/geo?key={value}&x=1\n"), "https://maps.io/geo?key=[REDACTED: API_KEY]&x=1\n");
    check(
        &format!("please use key {value} when you call it\n"),
        "please use key [REDACTED: API_KEY] when you call it\n",
    );
    stays("| the token of the list | page2 |\n");
}

#[test]
fn colours_divide_no_secret() {
    check(
        "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33mI4Yh6FibypxP8gTR\x1b[0m\n",
        "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m[REDACTED: PASSWORD]\x1b[0m\n",
    );
}
