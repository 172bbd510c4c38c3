import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { generate } from '../generators/client.mjs';
import { writeFiles } from './write-files.mjs';

test('the types of the client are those of the OpenAPI document', async () => {
  equal(await writeFiles(await generate(), { check: true, name: 'client' }), 0);
});
