module.exports = require('../../jest.preset.js')(__dirname, {
  // Langflow's client comes as ECMAScript modules only.
  transformIgnorePatterns: ['/node_modules/(?!@millrace/|@datastax/langflow-client/)'],
});
