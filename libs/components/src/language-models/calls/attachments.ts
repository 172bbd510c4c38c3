import { basename } from 'node:path/posix';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { decodeText } from '@millrace/documents';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { Message } from '@millrace/python-text';
import { extensionOf, textFileTypes } from '../../files/formats/text-file-types';
import { readFileText } from '../../files/readers/read-file-text';
import type { ChatImage } from '../../integrations/models/chat-message';
import { AttachmentBudget, ExceededAttachmentBudget } from './attachment-budget';

/** What a model is sent of the files of a message. */
export interface Attachments {
  readonly images: readonly ChatImage[];
  /** The texts of the other files, each with the name of its file. */
  readonly texts: readonly string[];
}

const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
};
const readableTypes: ReadonlySet<string> = new Set(['', 'xlsx', ...textFileTypes]);
const maximumFiles = 20;
const maximumBytes = 10 * 1_048_576;

/**
 * Reads the files of a message for a model. Throws a ComponentError for a missing file, for one that is neither an
 * image nor a text, for more than 20 files, for a file larger than 10 MiB, and for one that exceeds the budget of the call.
 */
export async function messageAttachments(
  message: Message | null,
  context: ComponentContext,
  budget = new AttachmentBudget(),
): Promise<Attachments> {
  const paths = message?.fields.files ?? [];
  if (paths.length > maximumFiles) {
    throw new ComponentError(
      `A message can have at most ${maximumFiles} files for a model, but has ${paths.length}.`,
    );
  }
  const attachments = new AttachmentList();
  for (const path of paths) attachments.add(await readAttachment(path, context, budget));
  return attachments;
}

/**
 * Reads the files of earlier messages, the newest message last. As in Langflow, a file that can no longer be read is
 * left out. The newest 20 files are read. Throws a ComponentError for a file that exceeds the budget of the call.
 */
export async function earlierAttachments(
  messages: readonly (readonly string[])[],
  context: ComponentContext,
  budget: AttachmentBudget,
): Promise<readonly Attachments[]> {
  let remaining = maximumFiles;
  const newestFirst: Attachments[] = [];
  for (const paths of [...messages].reverse()) {
    const attachments = new AttachmentList();
    for (const path of paths.slice(0, remaining)) {
      const attachment = await readAttachment(path, context, budget).catch((error: unknown) => {
        if (error instanceof ComponentError && !(error instanceof ExceededAttachmentBudget)) return '';
        throw error;
      });
      attachments.add(attachment);
    }
    remaining -= Math.min(paths.length, remaining);
    newestFirst.push(attachments);
  }
  return newestFirst.reverse();
}

class AttachmentList implements Attachments {
  readonly images: ChatImage[] = [];
  readonly texts: string[] = [];

  add(attachment: ChatImage | string): void {
    if (typeof attachment !== 'string') this.images.push(attachment);
    else if (attachment !== '') this.texts.push(attachment);
  }
}

async function readAttachment(
  path: string,
  context: ComponentContext,
  budget: AttachmentBudget,
): Promise<ChatImage | string> {
  const extension = extensionOf(path);
  const mimeType = mimeTypes[extension];
  if (mimeType === undefined && !readableTypes.has(extension)) {
    throw new ComponentError(
      `The file '${path}' cannot be sent to a model: it is neither an image nor a text.`,
    );
  }
  const { files } = context.resources;
  const file = await files.find(path);
  if (file === null) throw new ComponentError(`File not found: '${path}'`);
  const content = await files.read(file, maximumBytes);
  budget.take(path, content.length);
  if (mimeType !== undefined) return { mimeType, base64: content.toString('base64') };
  const text = await textOf(file.path, content, context.signal);
  return text === '' ? '' : `File '${basename(file.path)}' contents:\n${text}`;
}

/** A text that is not valid in the format of its name is sent as it is. */
async function textOf(path: string, content: Buffer, signal: AbortSignal): Promise<string> {
  const isBinary = ['pdf', 'docx', 'xlsx'].includes(extensionOf(path));
  try {
    const value = await readFileText({ path, content }, signal);
    return typeof value === 'string' ? value : jsonDumpsCompactAscii(value);
  } catch (error) {
    if (isBinary || !(error instanceof ComponentError)) throw error;
    return decodeText(content);
  }
}
