import { confirmationSchema } from '../../http/answers/confirmation-schema';
import {
  fileDeletedSchema,
  flowFileListSchema,
  flowFileSchema,
  userFileListSchema,
  userFileSchema,
} from './file-schemas';
import { idListSchema } from '../../http/bodies/id-list-schema';
import { imageTypes } from './image-type';
import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import type { AnswerDescription, Operation } from '../../http/routing/operation';

const binary = { type: 'string', format: 'binary' } as const;
const form = {
  'multipart/form-data': { type: 'object', required: ['file'], properties: { file: binary } },
};
const content: AnswerDescription = {
  description: 'The bytes of the file',
  content: { 'application/octet-stream': binary },
};
const uploadErrors = [
  'invalid_request',
  'undecodable_body',
  'body_too_large',
  'body_late',
  'object_store_unavailable',
] as const;
const readErrors = ['flow_unknown', 'not_found', 'object_store_unavailable'] as const;

/** Documentation of the routes for flows' files. */
export const flowFileOperations = {
  upload: {
    summary: 'Upload a file for a flow',
    body: form,
    answers: { 201: json('The path of the file', flowFileSchema) },
    errors: ['flow_unknown', ...uploadErrors],
  },
  list: {
    summary: 'List the files of a flow',
    answers: { 200: json('The names of the files', flowFileListSchema) },
    errors: ['flow_unknown'],
  },
  download: {
    summary: 'Download a file of a flow',
    answers: { 200: content },
    errors: readErrors,
  },
  show: {
    summary: 'Show an image of a flow',
    answers: {
      200: {
        description: 'The image',
        content: Object.fromEntries(imageTypes.map((type) => [type, binary])),
      },
    },
    errors: readErrors,
  },
  remove: {
    summary: 'Delete a file of a flow',
    answers: { 200: json('The file was deleted', fileDeletedSchema) },
    errors: ['flow_unknown', 'not_found'],
  },
} as const satisfies Record<string, Operation>;

/** Documentation of the routes for a user's files. */
export const userFileOperations = {
  upload: {
    summary: 'Upload a file',
    body: form,
    answers: { 201: json('The file', userFileSchema) },
    errors: uploadErrors,
  },
  list: { summary: 'List files', answers: { 200: json('The files', userFileListSchema) } },
  removeAll: {
    summary: 'Delete all files that belong to no flow',
    answers: { 200: json('The files were deleted', fileDeletedSchema) },
  },
  downloadMany: {
    summary: 'Download files in one archive',
    body: jsonBody(idListSchema),
    answers: {
      200: {
        description: 'A ZIP archive of the files that exist',
        content: { 'application/x-zip-compressed': binary },
      },
    },
    errors: ['not_found', 'invalid_value', 'object_store_unavailable'],
  },
  removeMany: {
    summary: 'Delete files',
    body: jsonBody(idListSchema),
    answers: { 200: json('The files were deleted', fileDeletedSchema) },
    errors: ['not_found'],
  },
  download: {
    summary: 'Download a file',
    query: {
      return_content: queryParameter('boolean', 'True returns the text of the file as a JSON string', {
        default: false,
      }),
    },
    answers: {
      200: { ...content, content: { ...content.content, 'application/json': { type: 'string' } } },
    },
    errors: ['invalid_value', 'not_found', 'object_store_unavailable'],
  },
  rename: {
    summary: 'Rename a file',
    query: { name: { ...queryParameter('string', 'The new name, without the extension'), required: true } },
    answers: { 200: json('The changed file', userFileSchema) },
    errors: ['not_found', 'invalid_value'],
  },
  remove: {
    summary: 'Delete a file',
    answers: { 200: json('The file was deleted', confirmationSchema) },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
