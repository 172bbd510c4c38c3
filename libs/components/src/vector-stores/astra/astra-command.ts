import { jsonValue } from '@millrace/flow';
import type { ComponentContext, PythonObject, PythonValue } from '@millrace/flow';
import { callJson } from '../../http/call-service';
import { objectsMember, textMember } from '../../http/json-members';
import { withoutSecrets } from '../../http/service-error';
import { AstraError } from './astra-error';
import type { AstraPlace } from './astra-place';

export interface AstraCommand {
  /** Such as "find". */
  readonly name: string;
  /** Null for a command to the keyspace. */
  readonly collection: string | null;
  readonly payload: PythonObject;
}

/** Commands that change nothing, or nothing more when they come twice. */
const repeatable: ReadonlySet<string> = new Set(['find', 'findAndRerank', 'findCollections']);

/** Sends a command of the Data API; throws an AstraError with Astra's own words when it is refused. */
export async function sendAstraCommand(
  place: AstraPlace,
  { name, collection, payload }: AstraCommand,
  context: ComponentContext,
): Promise<PythonValue> {
  const path = [place.keyspace, ...(collection === null ? [] : [collection])].map(encodeURIComponent);
  const answer = await callJson(
    {
      service: 'Astra DB',
      url: `${place.endpoint}/api/json/v1/${path.join('/')}`,
      method: 'POST',
      headers: { token: place.token },
      json: { [name]: jsonValue(payload) },
      secrets: [place.token],
      repeatable: repeatable.has(name),
    },
    context,
  );
  const errors = objectsMember(answer, 'errors');
  if (errors.length === 0) return answer;
  const said = withoutSecrets(textMember(errors[0] ?? null, 'message'), [place.token]).slice(0, 300);
  throw new AstraError(
    `Astra DB refused ${name}: ${said}`,
    errors.map((error) => textMember(error, 'errorCode')),
  );
}
