import type { IncomingMessage } from 'node:http';
import { clientAddresses } from '@millrace/http';
import { fileEvent, fileName } from '@millrace/runs';
import type { AuditActor, AuditLog, FileStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { FilePart } from './multipart-form';

/** How the payload of a webhook names a file. */
export interface NamedFile {
  readonly name: string;
  /** The path by which components read the file. */
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

export interface WebhookFilesDependencies {
  readonly files: FileStore;
  readonly audit: Pick<AuditLog, 'recording'>;
  readonly logger: Logger;
}

export interface FileOwner {
  readonly userId: string;
  /** The run that the webhook starts. */
  readonly runId: string;
  readonly request: IncomingMessage;
  readonly requestId: string | null;
}

/**
 * Stores the files of one webhook as files of the flow's owner, before its run is stored, because the request of the run names
 * them. When the run is stored they are kept; otherwise they are deleted. If the process ends before that, the pruner does it.
 */
export class WebhookFiles {
  readonly #dependencies: WebhookFilesDependencies;
  readonly #owner: FileOwner;
  #count = 0;
  /** Whether the run is being stored, so that its row can exist even when storing it fails. */
  #isAccepting = false;

  constructor(dependencies: WebhookFilesDependencies, owner: FileOwner) {
    this.#dependencies = dependencies;
    this.#owner = owner;
  }

  /** Stores a file. Null when the user was deleted in the meantime. Rejects when the database is unavailable. */
  async store({ fileName: given, mediaType, chunks }: FilePart): Promise<NamedFile | null> {
    const { files, audit } = this.#dependencies;
    const { userId, runId: awaitsRun } = this.#owner;
    this.#count += 1;
    const file = { userId, flowId: null, ...fileName(given), awaitsRun };
    const stored = await audit.recording(this.#actor(), (record) =>
      files.receive(file, contentOf(chunks), (connection, received) =>
        record(connection, fileEvent('file.uploaded', received)),
      ),
    );
    if (stored === null) return null;
    const { name, extension, path, sizeBytes } = stored;
    return { name: name + extension, path, type: mediaType, size: sizeBytes };
  }

  /** Call before the run is stored: a failure after that does not show whether it was. */
  accepting(): void {
    this.#isAccepting = true;
  }

  /** Keeps the files of a new run, and deletes those of a delivery that was repeated. */
  accepted(isNew: boolean): void {
    this.#settle(isNew ? 'keep' : 'delete');
  }

  /** Deletes the files of a webhook that was refused. */
  refused(): void {
    if (!this.#isAccepting) this.#settle('delete');
  }

  #settle(end: 'keep' | 'delete'): void {
    if (this.#count === 0) return;
    const { files, logger } = this.#dependencies;
    const { runId } = this.#owner;
    const settling = end === 'keep' ? files.keepOfRun(runId) : files.deleteOfRun(runId);
    settling.catch((error: unknown) =>
      logger.warn({ error, runId }, 'files of a webhook were not settled; the pruner settles them'),
    );
  }

  #actor(): AuditActor {
    const { userId, request, requestId } = this.#owner;
    return { kind: 'unknown', userId, keyId: null, requestId, ...clientAddresses(request) };
  }
}

async function* contentOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
