import { ChatMemory } from '@millrace/components';
import { Message } from '@millrace/python-text';

/** A chat memory with one message, `before`. */
export class ListMemory extends ChatMemory {
  readonly #messages = [new Message({ text: 'before', sender: 'User' })];

  read(): Promise<readonly Message[]> {
    return Promise.resolve(this.#messages);
  }

  add(_session: string, message: Message): Promise<void> {
    this.#messages.push(message);
    return Promise.resolve();
  }
}
