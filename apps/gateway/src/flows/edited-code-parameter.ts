import type { EditedCodeRule } from '@millrace/flow';
import { wordParameter } from '../http/query';
import { queryParameter } from '../openapi/operation';

const rules = ['refuse', 'stock'] as const;

/** The parameter `code` of an import: what becomes of code that authors edited; refused unless given. */
export function editedCodeParameter(query: URLSearchParams): EditedCodeRule {
  return wordParameter(query, 'code', { words: rules, absent: 'refuse' });
}

/** The same for the OpenAPI document. */
export const editedCodeQuery = {
  code: {
    ...queryParameter(
      'string',
      '`stock` accepts the stock component in place of each code that its author edited',
    ),
    schema: { enum: rules },
  },
};
