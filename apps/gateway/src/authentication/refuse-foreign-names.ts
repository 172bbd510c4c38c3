import type { Callback, FlowSettings, RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { bindsFlows } from '@millrace/runs';
import type { Principal } from '@millrace/runs';

/**
 * Refuses tweaks and files of other flows in the request of a key that is bound to flows or projects: a tweak can name a file, a
 * flow, a variable or a server of the user that the flow itself does not use. Throws permission_denied.
 */
export function refuseForeignNames(
  { bounds }: Pick<Principal, 'bounds'>,
  flowId: string,
  { tweaks, files = [] }: Pick<RunRequest, 'tweaks' | 'files'>,
): void {
  if (!bindsFlows(bounds)) return;
  if (Object.values(tweaks).some((tweak) => !isEmptyObject(tweak)))
    throw new HttpError('permission_denied', 'A key that is bound to flows or projects can send no tweaks.');
  if (!files.every((path) => path.startsWith(`${flowId}/`)))
    throw new HttpError(
      'permission_denied',
      'A key that is bound to flows or projects can name files of the flow only.',
    );
}

/**
 * Refuses signing secrets that the callbacks of the flow do not name, in the request of a key that is bound to flows or projects: it
 * would get signatures made with any variable of the user. Throws permission_denied.
 */
export function refuseForeignSecrets(
  { bounds, member }: Pick<Principal, 'bounds' | 'member'>,
  { callbacks = [] }: FlowSettings,
  { secrets = [], on = [] }: Callback,
): void {
  if (!bindsFlows(bounds)) return;
  // Its report has links that answer a question for the owner.
  if (member !== undefined && on.includes('waiting'))
    throw new HttpError('permission_denied', 'A member gets no callbacks of runs that wait for a person.');
  const named = callbacks.flatMap((callback) => callback.secrets ?? []);
  if (!secrets.every((name) => named.includes(name)))
    throw new HttpError(
      'permission_denied',
      'A key that is bound to flows or projects can name secrets of the callbacks of the flow only.',
    );
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
