// Plain JavaScript, because TypeScript reads no file outside of a project. A build includes the number.
module.exports.version = require('../../../../../package.json').version;
