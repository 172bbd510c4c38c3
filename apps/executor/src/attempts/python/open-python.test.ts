import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMigratedDatabase } from '@millrace/database/testing';
import { AuthorCodeStore } from '@millrace/runs';
import { createMetrics, readSettings, StartError } from '@millrace/service';
import { recordingLogger } from '@millrace/service/testing';
import { executorSettings } from '../../settings';
import { openPython } from './open-python';

const folder = mkdtempSync(join(tmpdir(), 'millrace-no-python-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('Python whose first process does not start is an error', async () => {
  const logger = recordingLogger();
  const database = await openMigratedDatabase(logger);
  const interpreter = join(folder, 'python');
  writeFileSync(interpreter, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  const opening = openPython({
    settings: readSettings(executorSettings, {}),
    environment: {
      folder,
      interpreter,
      python: '3.11.7',
      lfx: '1.13.0',
      packageSet: 'some',
      components: new Map(),
      modules: new Set(),
    },
    authorCode: new AuthorCodeStore({ database }),
    dial: () => Promise.reject(new Error('nothing is called')),
    logger,
    metrics: createMetrics(),
  });
  await expect(opening).rejects.toThrow(StartError);
  await database.close();
});
