// The page of the small checkout.
