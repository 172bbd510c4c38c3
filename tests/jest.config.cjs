module.exports = require('../jest.preset.js')(__dirname, {
  testMatch: ['<rootDir>/!(kit)/**/*.test.ts'],
  // Langflow's client is published as ECMAScript modules only.
  transformIgnorePatterns: ['/node_modules/(?!@millrace/|@datastax/langflow-client/)'],
});
