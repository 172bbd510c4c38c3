const { join } = require('node:path');

module.exports = require('../../jest.preset.js')(__dirname, {
  globalSetup: join(__dirname, '..', '..', 'tools', 'jest', 'make-image.cjs'),
});
