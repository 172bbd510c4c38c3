import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/projects/` and of `PUT`. */
export interface NewProjectBody {
  readonly name: string;
  readonly description?: string | null;
  readonly auth_settings?: Readonly<Record<string, unknown>> | null;
  readonly components_list?: readonly string[] | null;
  readonly flows_list?: readonly string[] | null;
}

/** Body of `PATCH /api/v1/projects/{project_id}`: members that are absent or null stay unchanged. */
export interface ProjectChangesBody {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly parent_id?: string | null;
  readonly components?: readonly string[];
  readonly flows?: readonly string[];
  readonly auth_settings?: Readonly<Record<string, unknown>> | null;
}

const MAXIMUM_FLOWS = 1000;
const id = { type: 'string', format: 'uuid' };
const name = { format: 'project-name', maxLength: 500 };
const description = { type: ['string', 'null'], maxLength: 65_536 };
const authSettings = { type: ['object', 'null'] };
const optionalIds = { type: ['array', 'null'], maxItems: MAXIMUM_FLOWS, items: id };
const ids = { type: 'array', maxItems: MAXIMUM_FLOWS, items: id };

export const newProjectSchema: RequestSchema = {
  title: 'NewProject',
  type: 'object',
  'x-model': true,
  required: ['name'],
  properties: {
    name: { type: 'string', ...name },
    description,
    auth_settings: authSettings,
    components_list: optionalIds,
    flows_list: optionalIds,
  },
};

export const projectChangesSchema: RequestSchema = {
  title: 'ProjectChanges',
  type: 'object',
  'x-model': true,
  properties: {
    name: { type: ['string', 'null'], ...name },
    description,
    parent_id: { type: ['string', 'null'], format: 'uuid' },
    components: ids,
    flows: ids,
    auth_settings: authSettings,
  },
};

/** The project of an uploaded archive or document. */
export const uploadedProjectSchema: RequestSchema = {
  title: 'UploadedProject',
  type: 'object',
  'x-model': true,
  properties: { folder_name: { type: 'string', ...name }, folder_description: description },
};
