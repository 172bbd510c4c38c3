import { useId, useLayoutEffect, useRef, useState } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { Button, ErrorNote } from './parts';

export interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A modal dialog: it holds the focus, closes with Escape or a click beside it, and gives the focus back. */
export function Modal({ title, onClose, children, className = 'dialog' }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // A drag that begins in a field and ends beside the dialog does not close it.
  const isPressedBeside = useRef(false);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Without it, the removed element would not give the focus back.
    return () => shown?.close();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className={className}
      aria-labelledby={heading}
      onClose={onClose}
      onPointerDown={(event) => (isPressedBeside.current = isBeside(event))}
      onClick={(event) => isPressedBeside.current && isBeside(event) && onClose()}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>,
    document.body,
  );
}

/** Whether an event is on what is behind a dialog, which is a part of its element. */
function isBeside({ target, currentTarget, clientX, clientY }: MouseEvent<HTMLElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

export interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onClose: () => void;
  /** Does it; the dialog closes afterwards, and shows an error that is thrown. */
  readonly onConfirm: () => Promise<unknown>;
  readonly children: ReactNode;
}

export function Confirm({
  title,
  action,
  danger = false,
  disabled = false,
  onClose,
  onConfirm,
  children,
}: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Modal title={title} onClose={onClose}>
      {children}
      {error !== undefined && <ErrorNote error={error} />}
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
        <Button
          kind={danger ? 'danger' : 'primary'}
          disabled={busy || disabled}
          onClick={() => void confirm()}
        >
          {busy ? 'Working…' : action}
        </Button>
      </div>
    </Modal>
  );
}
