import { HttpError } from '@millrace/http';
import { toHttpError } from './answer-error';

interface Item {
  readonly loc?: readonly (string | number)[];
  readonly msg?: string;
}

/** Returns an error with the body that clients of OpenAI's interface read; status, code and headers stay. */
export function openAiError(error: unknown): HttpError {
  const { code, detail, status, headers, cause } = toHttpError(error);
  const items = Array.isArray(detail) ? (detail as readonly Item[]) : [];
  const message = items.length > 0 ? items.map(textOf).join(' ') : messageOf(detail);
  const param = items.length > 0 ? pathOf(items[0]) || null : null;
  const body = { error: { message, type: typeOf(status), param, code } };
  return new HttpError(code, message, { status, headers, cause, body });
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  if (status === 401 || status === 403) return 'permission_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function textOf(item: Item): string {
  return `${[pathOf(item), item.msg].filter(Boolean).join(': ')}.`;
}

/** The place without its first part, which is `body`. */
function pathOf(item: Item | undefined): string {
  return (item?.loc ?? []).slice(1).join('.');
}

function messageOf(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  const message = (detail as { readonly message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : 'The request failed.';
}
