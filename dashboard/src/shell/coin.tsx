/** The logo. */
export function Coin({ className = "size-6" }: { className?: string }) {
  return <img src="/dashboard/coin.svg" alt="" className={className} width="24" height="24" />;
}
