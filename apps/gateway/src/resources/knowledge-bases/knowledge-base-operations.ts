import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { knowledgeBaseNamesSchema, newKnowledgeBaseSchema } from './knowledge-base-bodies';
import {
  chunkPageSchema,
  deletedBasesSchema,
  deletedSchema,
  knowledgeBaseSchema,
  knowledgeBasesSchema,
  metadataKeysSchema,
  taskSchema,
  uploadDetailsSchema,
  uploadPageSchema,
  uploadSchema,
} from './knowledge-base-schemas';

/** Documentation of the routes for knowledge bases. */
export const knowledgeBaseOperations = {
  list: {
    summary: 'List knowledge bases, newest first',
    answers: { 200: json('The knowledge bases', knowledgeBasesSchema) },
  },
  create: {
    summary: 'Create an empty knowledge base, with the embedding model that flows use for it',
    body: jsonBody(newKnowledgeBaseSchema),
    answers: { 201: json('The knowledge base', knowledgeBaseSchema) },
    errors: ['duplicate', 'invalid_value', 'not_found', 'permission_denied'],
  },
  read: {
    summary: 'Read a knowledge base',
    answers: { 200: json('The knowledge base', knowledgeBaseSchema) },
    errors: ['not_found'],
  },
  ingest: {
    summary: 'Write uploaded files to a knowledge base, as a run in the background',
    body: { 'multipart/form-data': uploadSchema },
    answers: { 200: json('The upload; its id is that of its run', taskSchema) },
    errors: [
      'not_found',
      'duplicate',
      'flow_unknown',
      'too_many_waiting',
      'broker_unavailable',
      'shutting_down',
    ],
  },
  runs: {
    summary: 'List the uploads to a knowledge base, newest first',
    query: {
      page: queryParameter('integer', 'Number of the page, from 1', { minimum: 1 }),
      limit: queryParameter('integer', 'Uploads per page, up to 100', { minimum: 1, maximum: 100 }),
    },
    answers: { 200: json('One page', uploadPageSchema) },
    errors: ['not_found'],
  },
  run: {
    summary: 'Read an upload to a knowledge base',
    answers: { 200: json('The upload, with each of its files', uploadDetailsSchema) },
    errors: ['not_found'],
  },
  cancel: {
    summary: 'Cancel the newest upload to a knowledge base',
    answers: { 200: json('It was cancelled', deletedSchema) },
    errors: ['not_found', 'invalid_value', 'broker_unavailable'],
  },
  chunks: {
    summary: 'List the texts of a knowledge base',
    query: {
      page: queryParameter('integer', 'Number of the page, from 1', { minimum: 1 }),
      limit: queryParameter('integer', 'Texts per page, up to 100', { minimum: 1, maximum: 100 }),
      search: queryParameter('string', 'Only texts that contain this, in any case'),
      source_type: queryParameter('string', 'Only texts with this `source_type` in their metadata'),
      file_name: queryParameter('string', 'Only texts with this `file_name` in their metadata'),
      job_id: queryParameter('string', 'Only texts with this `job_id` in their metadata'),
    },
    answers: {
      200: json('One page; `meta_<name>=<value>` filters by metadata of the source', chunkPageSchema),
    },
    errors: ['not_found'],
  },
  keys: {
    summary: 'List the names of metadata in a knowledge base, with their values',
    answers: { 200: json('The names, each with at most 50 values', metadataKeysSchema) },
    errors: ['not_found'],
  },
  remove: {
    summary: 'Delete a knowledge base with its texts',
    answers: { 200: json('The base was deleted', deletedSchema) },
    errors: ['not_found'],
  },
  removeMany: {
    summary: 'Delete several knowledge bases',
    body: jsonBody(knowledgeBaseNamesSchema),
    answers: { 200: json('How many were deleted', deletedBasesSchema) },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
