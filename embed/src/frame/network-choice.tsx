import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { brandName } from "../card/brand.ts";
import { BrandMark } from "./brand-mark.tsx";
import type { Words } from "./locales/words.ts";
import { RadioButton } from "./radio-button.tsx";

type NetworkChoiceProps = {
  readonly networks: readonly CardNetwork[];
  readonly chosen: CardNetwork | null;
  readonly busy: boolean;
  readonly words: Words;
  readonly choose: (network: CardNetwork) => void;
};

/**
 * A choice between the two networks of a co-badged card. Cardholders have the right to choose the network (Regulation
 * (EU) 2015/751, article 8(6)). The default network comes first and is preselected.
 */
export function NetworkChoice({ networks, chosen, busy, words, choose }: NetworkChoiceProps) {
  if (networks.length < 2) return null;
  const taken = chosen && networks.includes(chosen) ? chosen : networks[0];
  return (
    <fieldset class="choices">
      <legend>{words.network}</legend>
      {networks.map((network) => (
        <RadioButton
          key={network}
          group="network"
          checked={network === taken}
          busy={busy}
          onChoose={() => choose(network)}
        >
          <BrandMark brand={network} />
          <bdi>{brandName(network)}</bdi>
        </RadioButton>
      ))}
    </fieldset>
  );
}
