module.exports = require('../../jest.preset.js')(__dirname, {
  // Langflow's client is published as ECMAScript modules only.
  transformIgnorePatterns: ['/node_modules/(?!@millrace/|@datastax/langflow-client/)'],
});
