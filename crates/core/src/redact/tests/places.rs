//! Places in which a secret stands that no operator joins to its name, and code that looks like such a place.

use crate::redact::{Rules, redact};

fn goes(text: &str, secrets: &[&str]) {
    let (redacted, _) = redact(text, &Rules::builtin());
    for secret in secrets {
        assert!(text.contains(secret) && !redacted.contains(secret), "{redacted}");
    }
    assert_eq!(redact(&redacted, &Rules::builtin()).0, redacted);
}

fn stays(text: &str) {
    assert_eq!(redact(text, &Rules::builtin()).0, text);
}

#[test]
fn both_values_of_a_change_go() {
    goes(
        "  ~ \"API_TOKEN\" = \"9fk3jf93kd02kf9d\" -> \"k3jf93kd02kf9dq8\"\n",
        &["9fk3jf93kd02kf9d", "k3jf93kd02kf9dq8"],
    );
    stays("  ~ \"IMAGE_TAG\" = \"9fk3jf93kd02kf9d\" -> \"k3jf93kd02kf9dq8\"\n");
}

#[test]
fn words_that_make_a_password_go_and_labels_stay() {
    goes("{\"password\": \"amber otter winter lantern\"}\n", &["amber otter winter lantern"]);
    goes("const password = `amber otter winter lantern`;\n", &["amber otter winter lantern"]);
    goes("password: 'it''s-Otter-4207'\n", &["s-Otter-4207"]);
    stays("{\"password\": \"please choose one that nobody knows\"}\n");
    stays("{\"password\": \"Forgotten since last week\"}\n");
}

#[test]
fn strings_behind_a_blank_go() {
    goes("password \t'maple-otter-42'\nuser\t'mara'\n", &["maple-otter-42"]);
    goes("    proxy_set_header Authorization \"Basic bWFyYTpzZWNyZXQ0Mng3\";\n", &["bWFyYTpzZWNyZXQ0Mng3"]);
    goes("\"CONFIG\" \"SET\" \"requirepass\" \"maple-Otter!42\"\n", &["maple-Otter!42"]);
    stays("password \"is not what it was before\" he said\n");
}

#[test]
fn records_lists_and_elements_go() {
    goes("Smtp { Host = mx, Password = maple42otter7, Ssl = True }\n", &["maple42otter7"]);
    goes(
        "api_keys:\n  - k3JF93kd02Kf9dQ8x7Lm2P\n  - Zk3F93kd02Kf9dQ8x7Lm2a\nport: 1\n",
        &["k3JF93kd02Kf9dQ8x7Lm2P", "Zk3F93kd02Kf9dQ8x7Lm2a"],
    );
    goes("<Password>\n   <Value>maple-otter-42</Value>\n</Password>\n", &["maple-otter-42"]);
    goes(
        "<wsse:Password Type=\"http://docs.acme.io/x#PasswordText\">maple-otter-42</wsse:Password>\n",
        &["maple-otter-42"],
    );
    stays("var s = new Smtp { Host = host, Password = passwordBox, Ssl = ssl };\n");
}

#[test]
fn strings_that_code_wraps_go() {
    goes(
        "const hmacSecret = Buffer.from(\"9fk3jf93kd02kf9dA7bK3JF93kd02Kf9\", \"hex\");\n",
        &["9fk3jf93kd02kf9dA7bK3JF93kd02Kf9"],
    );
    stays("const secret = Buffer.from(\"the.name.of.a.setting\", \"utf8\");\n");
    stays("const secret = config.get(\"9fk3jf93kd02kf9dA7bK3JF93kd02Kf9\");\n");
}

#[test]
fn escapes_and_flags_of_java_lead_to_values() {
    goes(
        "\\u0022api_key\\u0022:\\u0022472cacb8e4c69deb054fabc0562de41d\\u0022\n",
        &["472cacb8e4c69deb054fabc0562de41d"],
    );
    goes(
        "+ sonar-scanner -Dsonar.login=c94e30306851d8340f42e2e0eb23cc5bd6c9ce72\n",
        &["c94e30306851d8340f42e2e0eb23cc5bd6c9ce72"],
    );
    stays("+ sonar-scanner -Dsonar.scm.revision=c94e30306851d8340f42e2e0eb23cc5bd6c9ce72\n");
}

#[test]
fn symbols_types_and_sums_stay() {
    stays("FUNC:_ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE4fileEv@@GLIBCXX_3.4.2\n");
    stays("  image_pull_secrets: \"List[V1LocalObjectReference]\",\n");
    stays("  checksum/secret: 16a93d7142b4d497dc414519cc7656a2e2ea69e4c6aca8c4275f3bbb82f79486\n");
    stays("  caching_sha2_password: AuthPluginDefinition<{\n");
    stays("  login(email: String!, password: String!): AuthPayload\n");
    stays("    self.embed_tokens = SeamlessM4Tv2ScaledWordEmbedding(\n");
    stays("    def test_gatherTextNodesDropsWhitespace(self):\n");
    stays("    cryptedPass = pwd.getpwnam(username).pw_passwd\n");
    stays("  - 'type': ['text', 'password', 'checkbox', 'radio']\n");
    stays("# METHOD can be \"trust\", \"md5\", \"password\", \"scram-sha-256\",\n");
    stays("    $password = <STDIN>;\n    pass => $password,\n");
    stays("PWD=C:\\Users\\mara\nOLDPWD=C:\\Users\n");
    stays("if ($urn eq \"urn:oasis:names:tc:SAML:2.0:ac:classes:Password:ZeroKnowledge\")\n");
    stays("\"token\": \"<|unused_200054|>\", \"password\": \"urn:oasis:names:tc:Password\"\n");
}

#[test]
fn prose_about_passwords_stays() {
    stays("# old flavours have it but --password suffers from the same\n");
    stays("of the\npassword database.\n");
    stays("password: |\n  {{ pw }}\nport: 1\n");
    stays("self.set_password('service1', 'user1', some)\n");
}

#[test]
fn paths_bold_names_and_builders_lead_to_values() {
    goes("$ consul kv get app/db/password\nmaple-Otter!42\n", &["maple-Otter!42"]);
    goes("| **Token** | `k3JF93kd02Kf9dQ8x7Lm2P` |\n", &["k3JF93kd02Kf9dQ8x7Lm2P"]);
    goes("let options = Options::new().username(\"app\").password(\"maple42otter\");\n", &["maple42otter"]);
    goes("password:\n        copperwinter2912\n", &["copperwinter2912"]);
    goes(
        "$ tailscale up --authkey 27566a354cd4eeffd4cde06f4f2f82255ec696df9873f66d\n",
        &["27566a354cd4eeffd4cde06f4f2f82255ec696df9873f66d"],
    );
    stays("$ kubectl get secret\nNAME   TYPE\n");
    stays("password: 'ENC[PKCS7,...]'\n");
    stays("password:\n    string\n");
}

#[test]
fn the_other_half_of_a_tuple_goes() {
    goes("('smtp_password','qV7xw29TbLm4')\n", &["qV7xw29TbLm4"]);
    stays("password', 'maple-2024')\n");
    stays("('password', 'long')\n");
    stays("x = ('password', 'maple-2024', 3)\n");
}
