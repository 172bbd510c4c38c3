import {
  anyObject,
  closedObject,
  flag,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';
import { flowSchema } from '../flows/flow-schemas';

const members = {
  name: text,
  description: orNull(text),
  auth_settings: orNull(anyObject),
  id: uuid,
  parent_id: orNull(uuid),
};

export const projectSchema = namedObject('Project', members);

/** The user's projects. */
export const projectsSchema = listOf(closedObject({ ...members, owner_username: text, is_owner: flag }));

const flows = listOf(flowSchema);

/** A project with all of its flows, or with `page` and `size` one page of them. */
export const projectWithFlowsSchema = {
  title: 'ProjectWithFlows',
  anyOf: [
    namedObject('ProjectAndFlows', { ...members, flows }),
    namedObject('ProjectFlowPage', {
      folder: projectSchema,
      flows: closedObject({ items: flows, total: integer, page: integer, size: integer, pages: integer }),
    }),
  ],
};
