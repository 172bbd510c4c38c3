import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentRegistry } from '@millrace/components';
import { needsPython } from '@millrace/gateway';
import { systemActor } from '@millrace/runs';
import type { AuditLog, FlowStore } from '@millrace/runs';
import { machineTime, syncFolder } from '@millrace/service';
import type { Logger } from '@millrace/service';

interface ExampleFlow {
  readonly name: string;
  readonly description?: string;
  readonly endpoint_name?: string;
  readonly data: unknown;
}

export interface LoadExamplesOptions {
  readonly flows: FlowStore;
  readonly audit: AuditLog;
  readonly userId: string;
  readonly directory: string;
  /** Contains a marker file once the examples were loaded, so that a deleted example stays deleted. */
  readonly dataDirectory: string;
  readonly logger: Logger;
}

/** Stores the example flows when a data folder is used for the first time. */
export async function loadExamples({
  flows,
  audit,
  userId,
  directory,
  dataDirectory,
  logger,
}: LoadExamplesOptions): Promise<void> {
  const marker = join(dataDirectory, 'examples-loaded');
  if (existsSync(marker) || !existsSync(directory)) return;
  const existing = new Set((await flows.list(userId, {})).map(({ endpointName }) => endpointName));
  const loaded: string[] = [];
  for (const file of readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const example = JSON.parse(readFileSync(join(directory, file), 'utf8')) as ExampleFlow;
    if (existing.has(example.endpoint_name ?? null)) continue;
    await audit.change(systemActor, async (change) => {
      const { id, name, version } = await flows.within(change).create(userId, {
        name: example.name,
        description: example.description ?? null,
        endpointName: example.endpoint_name ?? null,
        document: example.data,
        needsPython: needsPython(example.data, componentRegistry),
      });
      change.note({ action: 'flow.created', objectId: id, objectName: name, detail: { version } });
    });
    loaded.push(example.endpoint_name ?? example.name);
  }
  logger.info({ flows: loaded }, 'example flows loaded');
  writeFileSync(marker, `${new Date(machineTime()).toISOString()}\n`);
  syncFolder(dataDirectory);
}
