import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const MAXIMUM_FLOWS = 1000;
const id = { type: 'string', format: 'uuid' } as const;
const name = { format: 'project-name', maxLength: 500 } as const;
const description = { type: ['string', 'null'], maxLength: 65_536 } as const;
const authSettings = { type: ['object', 'null'] } as const;
const optionalIds = { type: ['array', 'null'], maxItems: MAXIMUM_FLOWS, items: id } as const;
const ids = { type: 'array', maxItems: MAXIMUM_FLOWS, items: id } as const;

export const newProjectSchema = openBody(
  'NewProject',
  {
    name: { type: 'string', ...name },
    description,
    auth_settings: authSettings,
    components_list: optionalIds,
    flows_list: optionalIds,
  },
  ['name'],
);

/** Body of `POST /api/v1/projects/` and of `PUT`. */
export type NewProjectBody = ValueOf<typeof newProjectSchema>;

export const projectChangesSchema = openBody('ProjectChanges', {
  name: { type: ['string', 'null'], ...name },
  description,
  parent_id: { type: ['string', 'null'], format: 'uuid' },
  components: ids,
  flows: ids,
  auth_settings: authSettings,
});

/** Body of `PATCH /api/v1/projects/{project_id}`: members that are absent or null stay unchanged. */
export type ProjectChangesBody = ValueOf<typeof projectChangesSchema>;

/** The project of an uploaded archive or document. */
export const uploadedProjectSchema = openBody('UploadedProject', {
  folder_name: { type: 'string', ...name },
  folder_description: description,
});
