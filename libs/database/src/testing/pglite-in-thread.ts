import type nodeModule from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';

type Bytes = Uint8Array<ArrayBuffer>;

interface Pglite {
  close(): Promise<void>;
}

/** The exports of pglite-worker.cjs in a main thread; see there. */
export interface PgliteInThread {
  startInMemory(image?: string): Promise<Pglite>;
  imagePath(name: string): string;
  storeImage(database: Pglite, path: string): Promise<void>;
  exchange(database: Pglite, bytes: Bytes): Promise<Bytes>;
}

/** Loads pglite-worker.cjs in this thread. PGlite needs Node's own module loader, which a test framework replaces. */
export function pgliteInThread(): PgliteInThread {
  const { getBuiltinModule } = runInThisContext('process') as NodeJS.Process;
  const { createRequire } = getBuiltinModule('node:module') as typeof nodeModule;
  return createRequire(__filename)(join(__dirname, '..', 'embedded', 'pglite-worker.cjs')) as PgliteInThread;
}
