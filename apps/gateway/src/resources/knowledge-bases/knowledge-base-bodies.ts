import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/knowledge_bases`. */
export interface NewKnowledgeBaseBody {
  readonly name: string;
  readonly embedding_provider: string;
  readonly embedding_model: string;
  readonly model_selection?: ModelSelection | readonly ModelSelection[] | null;
  readonly column_config?: readonly ColumnBody[] | null;
  readonly backend_type?: string | null;
  readonly backend_config?: Readonly<Record<string, unknown>>;
}

/** The model as Langflow's forms choose it. */
export type ModelSelection = Readonly<Record<string, unknown>>;

export interface ColumnBody {
  readonly column_name: string;
  readonly vectorize?: unknown;
  readonly identifier?: unknown;
}

export const newKnowledgeBaseSchema: RequestSchema = {
  title: 'NewKnowledgeBase',
  type: 'object',
  'x-model': true,
  required: ['name', 'embedding_provider', 'embedding_model'],
  properties: {
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
};

/** Body of `DELETE /api/v1/knowledge_bases`. */
export interface KnowledgeBaseNamesBody {
  readonly kb_names: readonly string[];
}

export const knowledgeBaseNamesSchema: RequestSchema = {
  title: 'KnowledgeBaseNames',
  type: 'object',
  'x-model': true,
  required: ['kb_names'],
  properties: { kb_names: { type: 'array', maxItems: 1_000, items: { type: 'string' } } },
};
