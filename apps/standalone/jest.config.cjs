module.exports = require('../../jest.preset.js')(__dirname, {
  // Langflow's client comes as ECMAScript modules only.
  // The longest of all suites, and in the end the only one that is left: two of its files at a time.
  maxWorkers: 2,
  transformIgnorePatterns: ['/node_modules/(?!@millrace/|@datastax/langflow-client/)'],
});
