import { closed, text, whole } from './answer-schema';

/** Done, in words. */
export const doneSchema = closed({ detail: text });
export const flowDeletedSchema = closed({ message: text });
export const flowsDeletedSchema = closed({ deleted: whole });
