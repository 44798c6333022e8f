export type Product = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The price in cents. As in Florin's API, amounts are integers in the currency's smallest unit. */
  readonly price: number;
};

export const currency = "usd";

export const products: readonly Product[] = [
  {
    id: "cup",
    name: "Morning cup",
    description: "Speckled oat glaze, bare foot. Holds one good coffee.",
    price: 2800,
  },
  {
    id: "vase",
    name: "Moon vase",
    description: "Two bowls, thrown and joined. Never quite round.",
    price: 9600,
  },
  {
    id: "teapot",
    name: "Tea for two",
    description: "Pours clean, to the last drop. Rattan handle.",
    price: 12800,
  },
  {
    id: "bowl",
    name: "Breakfast bowl",
    description: "Deep enough for porridge and a long Sunday.",
    price: 3400,
  },
  {
    id: "candle",
    name: "Dusk candlestick",
    description: "A wide plate to carry it by. Candle included.",
    price: 4200,
  },
  {
    id: "planter",
    name: "Sill planter",
    description: "With its saucer, and a cutting from our own window.",
    price: 5200,
  },
];

export function findProduct(id: string): Product | undefined {
  return products.find((product) => product.id === id);
}
