// What tests, bench and chaos share. Plain JavaScript with Node's own modules only, because tools use it before anything
// is installed or built.
const { edge, flowData, node } = require('./flow-document.cjs');
const { forAllTests, forEachTest } = require('./for-tests.cjs');
const { freePort, portOf } = require('./ports.cjs');
const { TcpProxy } = require('./tcp-proxy.cjs');
const { waitUntil } = require('./wait-until.cjs');

/**
 * @typedef {import('./flow-document.cjs').FieldValue} FieldValue
 * @typedef {import('./flow-document.cjs').FlowNode} FlowNode
 * @typedef {import('./flow-document.cjs').FlowData} FlowData
 */

module.exports = {
  edge,
  flowData,
  forAllTests,
  forEachTest,
  freePort,
  node,
  portOf,
  TcpProxy,
  waitUntil,
};
