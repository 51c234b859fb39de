import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';

/**
 * Asks before something is done. While it is open nothing else on the page can be reached, and Escape leaves it; a click
 * beside it does not, so that nothing that was written is lost by accident. When it goes, the focus is back where it was.
 */
export const Dialog = ({
  title,
  isBusy,
  onLeave,
  children,
}: {
  readonly title: ReactNode;
  /** It can not be left just now: an answer is on its way. */
  readonly isBusy: boolean;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}): ReactNode => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // To the beginning, not into the first field: what it does is read before anything is written or pressed.
    heading.current?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (isBusy) event.preventDefault();
      }}
      onClose={() => {
        if (dialog.current?.open === false) onLeave();
      }}
    >
      <h2 id={titleId} tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {children}
    </dialog>
  );
};

/** What will happen, one matter each. */
export const Consequences = ({ of }: { readonly of: readonly string[] }): ReactNode => (
  <ul className="consequences" aria-label="What this does">
    {of.map((sentence) => (
      <li key={sentence}>{sentence}</li>
    ))}
  </ul>
);
