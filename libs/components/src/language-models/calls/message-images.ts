import { extname } from 'node:path/posix';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import type { ChatImage } from '../../integrations/models/chat-message';

const mimeTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};
const maximumImages = 20;
const maximumBytes = 10 * 1_048_576;

/**
 * Returns the images among a message's files. Throws a ComponentError for a missing image, for more than 20 images, and
 * for an image larger than 10 MiB.
 */
export async function messageImages(
  message: Message | null,
  context: ComponentContext,
): Promise<readonly ChatImage[]> {
  const named = (message?.fields.files ?? []).flatMap((path) => {
    const mimeType = mimeTypes[extname(path).toLowerCase()];
    return mimeType === undefined ? [] : [{ path, mimeType }];
  });
  if (named.length > maximumImages) {
    throw new ComponentError(
      `A message can have at most ${maximumImages} images for a model, but has ${named.length}.`,
    );
  }
  const images: ChatImage[] = [];
  for (const { path, mimeType } of named) {
    const { files } = context.resources;
    const file = await files.find(path);
    if (file === null) throw new ComponentError(`File not found: '${path}'`);
    images.push({ mimeType, base64: (await files.read(file, maximumBytes)).toString('base64') });
  }
  return images;
}
