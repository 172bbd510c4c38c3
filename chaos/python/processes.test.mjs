import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { outliving } from './processes.mjs';

const executor = { pid: 1_000, parent: 10 };
const zygote = { pid: 1_001, parent: executor.pid };
const forked = { pid: 1_002, parent: zygote.pid };

test('Python processes of a running executor do not outlive it', () => {
  deepEqual(outliving([zygote, forked], new Set([executor.pid])), []);
});

test('the zygote of an ended executor outlives it, and so do processes of another parent', () => {
  const adopted = { pid: 1_003, parent: 1 };
  deepEqual(outliving([zygote, forked], new Set([7])), [zygote, forked]);
  deepEqual(outliving([zygote, forked, adopted], new Set([executor.pid])), [adopted]);
});
