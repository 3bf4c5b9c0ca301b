print("permlog")
