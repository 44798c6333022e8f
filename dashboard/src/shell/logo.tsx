export function Logo({ className = "size-6" }: { className?: string }) {
  return <img src="/dashboard/logo.svg" alt="" className={className} width="24" height="24" />;
}
