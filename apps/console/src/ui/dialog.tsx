import { Dialog, DialogDismiss, DialogHeading, useDialogStore } from '@ariakit/react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button, ErrorNote } from './parts';

export interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A modal dialog: it holds the focus, closes with Escape, and gives the focus back. */
export function Modal({ title, onClose, children, className = 'dialog' }: ModalProps) {
  const store = useDialogStore({ open: true, setOpen: (open) => !open && onClose() });
  return (
    <Dialog store={store} className={className} backdrop={<div className="backdrop" />}>
      <DialogHeading render={<h2 />}>{title}</DialogHeading>
      {children}
    </Dialog>
  );
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
        <DialogDismiss className="button">Close</DialogDismiss>
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
