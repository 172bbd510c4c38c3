import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

/** The model as Langflow's forms choose it. */
export type ModelSelection = Readonly<Record<string, unknown>>;

export const newKnowledgeBaseSchema = openBody(
  'NewKnowledgeBase',
  {
    name: { type: 'string' },
    embedding_provider: { type: 'string', maxLength: 500 },
    embedding_model: { type: 'string', maxLength: 500 },
    model_selection: { type: ['object', 'array', 'null'], items: { type: 'object' }, maxItems: 100 },
    column_config: {
      type: ['array', 'null'],
      maxItems: 1_000,
      items: {
        type: 'object',
        'x-model': true,
        required: ['column_name'],
        properties: {
          column_name: { type: 'string', maxLength: 500 },
          vectorize: { 'x-flag': true },
          identifier: { 'x-flag': true },
        },
      },
    },
    backend_type: { type: ['string', 'null'] },
    backend_config: { type: 'object' },
  },
  ['name', 'embedding_provider', 'embedding_model'],
);

/** Body of `POST /api/v1/knowledge_bases`. */
export type NewKnowledgeBaseBody = ValueOf<typeof newKnowledgeBaseSchema>;

export type ColumnBody = NonNullable<NewKnowledgeBaseBody['column_config']>[number];

export const knowledgeBaseNamesSchema = openBody(
  'KnowledgeBaseNames',
  { kb_names: { type: 'array', maxItems: 1_000, items: { type: 'string' } } },
  ['kb_names'],
);

/** Body of `DELETE /api/v1/knowledge_bases`. */
export type KnowledgeBaseNamesBody = ValueOf<typeof knowledgeBaseNamesSchema>;
