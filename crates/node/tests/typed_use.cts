// What the compiler makes of the package's types, for `require`; nothing runs it.

import offcut = require("offcut");

const reply: offcut.Reply = offcut.cutSync("text");
const error: offcut.OffcutError = new offcut.OffcutError(reply.text, "code");
const failed: string = error.code;
module.exports = failed;
