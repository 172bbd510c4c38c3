import type { IncomingMessage } from 'node:http';
import { HttpError } from '@millrace/http';
import { FlowVersionConflictError } from '@millrace/runs';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { normalizeUuid } from '../../http/validation/uuid-text';
import { lastAuthor } from './last-author';
import type { AuthorSources } from './last-author';

/**
 * Returns the version token that a change of a flow depends on (`If-Match`, also quoted or weak); undefined without the
 * header. Throws invalid_value, since ignoring an unreadable one would overwrite the work of others.
 */
export function expectedVersionToken({ headers }: IncomingMessage): string | undefined {
  const header = headers['if-match'];
  if (header === undefined) return undefined;
  const tag = header.trim().replace(/^W\//, '').trim();
  const token = normalizeUuid(tag.replace(/^"+|"+$/g, ''));
  if (token !== null) return token;
  throw new HttpError('invalid_value', 'Invalid If-Match header: expected a version token');
}

/** Resolves to the result of a change; rejects with flow_version_conflict when the flow has another version token. */
export async function refuseConflict<Result>(
  { sources, userId, expected }: ConflictContext,
  changing: Promise<Result>,
): Promise<Result> {
  try {
    return await changing;
  } catch (error) {
    if (!(error instanceof FlowVersionConflictError)) throw error;
    const modifiedBy = await lastAuthor(sources, userId, error.flowId);
    throw new HttpError(
      'flow_version_conflict',
      {
        code: 'flow_version_conflict',
        message: 'This flow was changed by someone else after you loaded it.',
        flow_id: error.flowId,
        expected_version_token: expected,
        current_version_token: error.versionToken,
        modified_by: modifiedBy,
        modified_at: pythonIsoFormat(error.updatedAt),
      },
      { cause: error },
    );
  }
}

interface ConflictContext {
  readonly sources: AuthorSources;
  readonly userId: string;
  readonly expected: string | undefined;
}
