import type { EditedCodeRule } from '@millrace/flow';
import { wordParameter } from '../../http/validation/query';
import { queryParameter } from '../../http/routing/operation';

const rules = ['refuse', 'stock'] as const;

/** Reads the parameter `code` of an import, the rule for edited code; `refuse` unless given. */
export function editedCodeParameter(query: URLSearchParams): EditedCodeRule {
  return wordParameter(query, 'code', { words: rules, absent: 'refuse' });
}

/** Describes the parameter in the OpenAPI document. */
export const editedCodeQuery = {
  code: {
    ...queryParameter('string', '`stock` runs the stock component instead of edited code'),
    schema: { enum: rules },
  },
};
