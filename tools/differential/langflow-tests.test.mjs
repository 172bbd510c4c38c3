import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { failedTests, validTests } from './langflow-tests.mjs';

/**
 * @param {'passed' | 'failed' | 'skipped'} outcome
 * @param {number} requests
 */
const result = (outcome, requests) => ({ outcome, requests, reason: '' });

test('tests that send requests and pass against Langflow are valid', () => {
  const there = {
    'test_a.py::test_passes': result('passed', 2),
    'test_a.py::test_fails': result('failed', 1),
    'test_a.py::test_is_skipped': result('skipped', 1),
    'test_a.py::test_sends_nothing': result('passed', 0),
    // The outcome of a test whose teardown was not reported.
    'test_a.py::test_was_cut': /** @type {any} */ ({ outcome: 'passed', reason: '' }),
  };
  deepEqual(validTests(there), {
    sent: ['test_a.py::test_passes', 'test_a.py::test_fails', 'test_a.py::test_is_skipped'],
    valid: ['test_a.py::test_passes'],
  });
  deepEqual(validTests({}), { sent: [], valid: [] });
});

test('a valid test that fails, is skipped or did not run here does not pass', () => {
  const here = {
    one: result('passed', 1),
    two: result('failed', 1),
    three: result('skipped', 0),
    other: result('failed', 1),
  };
  deepEqual(failedTests(['one', 'two', 'three', 'four'], here), ['two', 'three', 'four']);
  deepEqual(failedTests([], here), []);
});
