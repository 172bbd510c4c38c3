import type { Database, Transactional } from '@millrace/database';
import type { Logger } from '@millrace/service';
import type { RequestSeal } from '../encryption/request-seal';
import type { ObjectStore } from '../objects/object-store';
import type { RunBodies } from '../objects/run-bodies';
import type { TextTemplates } from '../text-templates/text-templates';

/** Dependencies of the statements about runs. */
export interface RunStoreParts {
  readonly database: Database;
  /** For lists, which a replica can serve. */
  readonly reads: Transactional;
  readonly seal: RequestSeal;
  readonly templates: TextTemplates;
  readonly bodies: RunBodies;
  /** Whether executors give every last attempt a process of its own. */
  readonly isolatesLastAttempts: boolean;
}

export interface RunStoreDependencies {
  readonly database: Database;
  /** See RunStoreParts; `database` unless given. */
  readonly reads?: Transactional | undefined;
  /** Seals requests that can contain secrets; nothing is sealed unless given. */
  readonly seal?: RequestSeal;
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
  /** With the large requests and results; null, the default, when none is configured. */
  readonly objects?: ObjectStore | null;
  /** See RunStoreParts; false unless given. */
  readonly isolatesLastAttempts?: boolean;
}
