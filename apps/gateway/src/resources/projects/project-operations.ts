import { json, jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { storedFlowSchema } from '../flows/flow-schemas';
import { newProjectSchema, projectChangesSchema } from './project-bodies';
import { projectSchema, projectsSchema, projectWithFlowsSchema } from './project-schemas';

/** Documentation of the routes for projects. */
export const projectOperations = {
  list: {
    summary: 'List projects: the default one first, the others by name',
    answers: { 200: json('The projects', projectsSchema) },
  },
  create: {
    summary: 'Create a project, with flows that are moved to it',
    body: jsonBody(newProjectSchema),
    answers: { 201: json('The project; a name in use gets a number', projectSchema) },
    errors: ['invalid_value'],
  },
  read: {
    summary: 'Read a project with its flows',
    query: {
      page: queryParameter('integer', 'Number of the page, from 1; needs `size`', { minimum: 1 }),
      size: queryParameter('integer', 'Flows per page, up to 100; needs `page`', { minimum: 1 }),
      is_component: queryParameter('boolean', 'With pages: only components'),
      is_flow: queryParameter('boolean', 'With pages: no components'),
      search: queryParameter('string', 'With pages: only flows with this in their name'),
    },
    answers: { 200: json('The project', projectWithFlowsSchema) },
    errors: ['not_found'],
  },
  update: {
    summary: 'Change a project',
    body: jsonBody(projectChangesSchema),
    answers: { 200: json('The changed project', projectSchema) },
    errors: ['not_found', 'duplicate', 'invalid_value'],
  },
  put: {
    summary: 'Change a project, or create it with this id',
    body: jsonBody(newProjectSchema),
    answers: { 200: json('The changed project', projectSchema), 201: json('The new project', projectSchema) },
    errors: ['duplicate', 'invalid_value'],
  },
  remove: {
    summary: 'Delete a project with its flows',
    answers: { 204: nothing('The project was deleted') },
    errors: ['not_found', 'invalid_value'],
  },
  download: {
    summary: 'Export the flows of a project, without secrets',
    answers: {
      200: {
        description: 'A ZIP archive with a JSON file for each flow',
        content: { 'application/x-zip-compressed': { type: 'string', format: 'binary' } },
      },
    },
    errors: ['not_found', 'invalid_value'],
  },
  upload: {
    summary: 'Create a project from an archive of flows, or from a document that names it',
    body: {
      'multipart/form-data': {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary' } },
      },
    },
    answers: { 201: json('The flows of the new project', { type: 'array', items: storedFlowSchema }) },
    errors: ['invalid_value', 'duplicate', 'invalid_flow', 'too_many_triggers'],
  },
} as const satisfies Record<string, Operation>;
